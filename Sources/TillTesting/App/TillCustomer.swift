import Foundation

extension Till {
    /// A customer of an app. Each operation waits until the notifications that it causes are delivered.
    public struct Customer: Sendable {
        /// The customer's name in Till.
        public let name: String
        let app: App

        /// Buys a product, as the customer does on a device.
        ///
        /// - Parameters:
        ///   - productId: the product identifier.
        ///   - offer: the offer; by default the introductory offer, if the customer is eligible.
        ///   - appAccountToken: the app's UUID for the customer.
        ///   - quantity: the quantity of a consumable.
        /// - Throws: `ControlFailure` if the store refuses the purchase; `TillTestingError` if the purchase stays
        ///   pending (Ask to Buy).
        @discardableResult
        public func buy(
            _ productId: String,
            offer: OfferToApply? = nil,
            appAccountToken: UUID? = nil,
            quantity: Int? = nil
        ) async throws -> Purchase {
            let request = BuyProduct(
                app: app.scope,
                customer: name,
                productId: productId,
                quantity: quantity,
                appAccountToken: appAccountToken?.uuidString.lowercased(),
                offer: offer,
                include: [.device]
            )
            let answer = try await app.control.send(request.settling(Till.settlingSeconds))
            guard let transaction = answer.transaction, let device = transaction.device else {
                throw TillTestingError(
                    "The purchase of \(productId) by \(name) is pending. Send BuyProduct with Till.app.control, which "
                        + "answers the number of the pending purchase."
                )
            }
            return Purchase(info: transaction, signedTransaction: device.signedTransactionInfo)
        }

        /// Refunds a transaction in full.
        ///
        /// - Parameters:
        ///   - transactionId: the transaction id.
        ///   - reason: the revocation reason.
        @discardableResult
        public func refund(_ transactionId: String, reason: RevocationReason? = nil) async throws -> ActionInfo {
            try await settle(RefundTransaction(app: app.scope, transactionId: transactionId, reason: reason))
        }

        /// Turns off auto-renew of the subscription with a product. The paid period continues to its end.
        @discardableResult
        public func cancel(_ productId: String) async throws -> ActionInfo {
            let subscription = try await subscription(productId)
            return try await settle(
                CancelSubscription(app: app.scope, originalTransactionId: subscription.originalTransactionId)
            )
        }

        /// Turns on auto-renew of the subscription with a product.
        @discardableResult
        public func resume(_ productId: String) async throws -> ActionInfo {
            let subscription = try await subscription(productId)
            return try await settle(
                ResumeSubscription(app: app.scope, originalTransactionId: subscription.originalTransactionId)
            )
        }

        /// Declines the customer's card: renewals fail. The customer's purchases succeed.
        public func declineCard() async throws {
            _ = try await settle(UpdateCustomer(app: app.scope, customer: name, card: .declinedForRenewals))
        }

        /// Accepts the customer's card again, and charges failed payments at once.
        public func acceptCard() async throws {
            _ = try await settle(UpdateCustomer(app: app.scope, customer: name, card: .accepted))
        }

        /// The customer with all subscriptions and owned products.
        public func info() async throws -> CustomerInfo {
            try await app.control.send(GetCustomer(app: app.scope, customer: name))
        }

        /// The subscription with a product: its status, its period, its renewal.
        ///
        /// - Throws: `TillTestingError` if the customer has no such subscription.
        public func subscription(_ productId: String) async throws -> SubscriptionInfo {
            let all = try await info().subscriptions
            guard let found = all.first(where: { $0.productId == productId }) else {
                let others = all.isEmpty ? "none" : all.map(\.productId).joined(separator: ", ")
                throw TillTestingError("\(name) has no subscription to \(productId). Subscriptions: \(others).")
            }
            return found
        }

        /// All transactions, the most recently changed first.
        public func transactions() async throws -> [LedgerEntryInfo] {
            var request = ListTransactions(app: app.scope, customer: name, limit: 100)
            var found: [LedgerEntryInfo] = []
            repeat {
                let page = try await app.control.send(request)
                found += page.transactions
                request.after = page.next
            } while request.after != nil
            return found
        }

        private func settle<Request: SettlingRequest>(_ request: Request) async throws -> Request.Answer {
            try await app.control.send(request.settling(Till.settlingSeconds))
        }
    }

    /// A purchase of a customer.
    public struct Purchase: Sendable {
        /// The transaction, as the control API answered it.
        public let info: TransactionInfo
        /// The signed transaction that StoreKit gives to the app on the device, which the app sends to its backend.
        public let signedTransaction: String

        /// The transaction id.
        public var transactionId: String { info.transactionId }
        /// The id of the first transaction; the same for all renewals of a subscription.
        public var originalTransactionId: String { info.originalTransactionId }
        /// The product identifier.
        public var productId: String { info.productId }
        /// The end of the period; only for auto-renewable subscriptions.
        public var expiresDate: Timestamp? { info.expiresDate }
    }
}
