import Foundation
import TillJSON

/// Transactions, refunds and orders (docs/api/history.md, docs/api/transactions.md, docs/api/refunds.md,
/// docs/api/orders.md).
extension AppStoreServerClient {
    /// The version of a history.
    public enum HistoryVersion: String, Sendable {
        /// Leaves out finished consumables. Apple deprecated it.
        case v1
        /// All transactions.
        case v2
    }

    /// Get Transaction History: a page of the transactions of a customer. `transactions(of:)` reads all pages.
    ///
    /// - Parameters:
    ///   - id: any transaction id, original transaction id or app transaction id of the customer.
    ///   - filter: which transactions; the same for all pages.
    ///   - revision: the `revision` of the page before, or one that was kept; nil for the first page.
    ///   - version: the version of the endpoint.
    public func transactionHistory(
        of id: String,
        filter: TransactionFilter = TransactionFilter(),
        revision: String? = nil,
        version: HistoryVersion = .v2
    ) async throws -> Answer<HistoryResponse> {
        let query = [(name: "revision", value: revision)] + filter.query
        return try await perform(.seeking(.get, ["inApps", version.rawValue, "history", id], query: query))
    }

    /// The transactions of a customer. Pages are fetched when they are needed.
    ///
    /// - Parameters:
    ///   - id: any transaction id, original transaction id or app transaction id of the customer.
    ///   - filter: which transactions.
    ///   - revision: a kept `revision`, to get only what is new or changed since; nil for everything.
    ///   - version: the version of the endpoint.
    public func transactions(
        of id: String,
        filter: TransactionFilter = TransactionFilter(),
        from revision: String? = nil,
        version: HistoryVersion = .v2
    ) -> PagedSequence<HistoryResponse> {
        PagedSequence(client: self, position: revision) { client, revision in
            try await client.transactionHistory(of: id, filter: filter, revision: revision, version: version)
        }
    }

    /// Get Transaction Info: one transaction.
    ///
    /// - Parameter id: the transaction id. An original transaction id gives the first transaction, not the latest.
    public func transactionInfo(_ id: String) async throws -> Answer<TransactionInfoResponse> {
        try await perform(.seeking(.get, ["inApps", "v1", "transactions", id]))
    }

    /// Finish Transaction: marks a transaction as finished, in place of the app. It can be repeated.
    ///
    /// - Returns: the server that has the transaction.
    @discardableResult
    public func finishTransaction(_ id: String) async throws -> ServerAddress {
        try await perform(.seeking(.post, ["inApps", "v1", "transactions", id, "finish"])).server
    }

    /// Set App Account Token: sets the app's UUID for the customer on a purchase, and on the present and later renewals
    /// of a subscription. It can be repeated.
    ///
    /// - Parameters:
    ///   - token: the app's UUID for the customer.
    ///   - originalTransactionId: the first transaction of the purchase.
    /// - Returns: the server that has the transaction.
    @discardableResult
    public func setAppAccountToken(_ token: UUID, of originalTransactionId: String) async throws -> ServerAddress {
        let body = JSONTree.members(["appAccountToken": .string(token.uuidString.lowercased())])
        let path = ["inApps", "v1", "transactions", originalTransactionId, "appAccountToken"]
        return try await perform(.seeking(.put, path, body: body)).server
    }

    /// Get App Transaction Info: the customer's download of the app.
    ///
    /// - Parameter id: any transaction id, original transaction id or app transaction id of the customer.
    public func appTransactionInfo(of id: String) async throws -> Answer<AppTransactionInfoResponse> {
        try await perform(.seeking(.get, ["inApps", "v1", "transactions", "appTransactions", id]))
    }

    /// Look Up Order ID: the transactions of an order. Only production has orders, so `.automatic` asks only there.
    ///
    /// - Parameter orderId: the order id in the customer's email receipt.
    public func lookUpOrder(_ orderId: String) async throws -> Answer<OrderLookupResponse> {
        try await perform(APICall(.get, ["inApps", "v1", "lookup", orderId]))
    }

    /// Get Refund History: a page of the refunds of a customer. `refunds(of:)` reads all pages.
    ///
    /// - Parameters:
    ///   - id: any transaction id, original transaction id or app transaction id of the customer.
    ///   - revision: the `revision` of the page before, or one that was kept; nil for the first page.
    public func refundHistory(of id: String, revision: String? = nil) async throws -> Answer<RefundHistoryResponse> {
        try await perform(
            .seeking(.get, ["inApps", "v2", "refund", "lookup", id], query: [(name: "revision", value: revision)])
        )
    }

    /// The refunded transactions of a customer. Pages are fetched when they are needed.
    ///
    /// - Parameters:
    ///   - id: any transaction id, original transaction id or app transaction id of the customer.
    ///   - revision: a kept `revision`, to get only later refunds; nil for all.
    public func refunds(of id: String, from revision: String? = nil) -> PagedSequence<RefundHistoryResponse> {
        PagedSequence(client: self, position: revision) { client, revision in
            try await client.refundHistory(of: id, revision: revision)
        }
    }

    /// Get Refund History, version 1: at most the 50 latest refunds. Apple deprecated it.
    ///
    /// - Parameter originalTransactionId: an original transaction id of the customer.
    public func refundHistoryV1(of originalTransactionId: String) async throws -> Answer<RefundLookupResponse> {
        try await perform(.seeking(.get, ["inApps", "v1", "refund", "lookup", originalTransactionId]))
    }

    /// Send Consumption Information: answers a notification `CONSUMPTION_REQUEST`, within 12 hours. It can be repeated.
    ///
    /// - Returns: the server that has the transaction.
    @discardableResult
    public func sendConsumptionInformation(_ request: ConsumptionRequest, of transactionId: String) async throws
        -> ServerAddress
    {
        try await sendConsumption(try JSONTree(encoding: request), "v2", transactionId)
    }

    /// Send Consumption Information, version 1: for consumables, auto-renewable subscriptions and Advanced Commerce. It
    /// can be repeated.
    ///
    /// - Returns: the server that has the transaction.
    @discardableResult
    public func sendConsumptionInformationV1(_ request: ConsumptionRequestV1, of transactionId: String) async throws
        -> ServerAddress
    {
        try await sendConsumption(try JSONTree(encoding: request), "v1", transactionId)
    }

    private func sendConsumption(_ body: JSONTree, _ version: String, _ id: String) async throws -> ServerAddress {
        try await perform(.seeking(.put, ["inApps", version, "transactions", "consumption", id], body: body)).server
    }
}
