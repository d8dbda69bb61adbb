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
                clock: app.clockName,
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

        /// Refunds a transaction, in full or in part.
        ///
        /// - Parameters:
        ///   - transactionId: the transaction id; by default that of the latest transaction.
        ///   - percentage: the part to refund in percent, such as 50 for the half; by default all.
        ///   - reason: the revocation reason.
        @discardableResult
        public func refund(
            _ transactionId: String? = nil,
            percentage: Double? = nil,
            reason: RevocationReason? = nil
        ) async throws -> ActionInfo {
            let id = if let transactionId { transactionId } else { try await latestTransactionId() }
            var request = RefundTransaction(app: app.scope, transactionId: id, reason: reason)
            // The control API has thousandths of a percent, as the transaction has in revocationPercentage.
            if let percentage {
                guard percentage > 0, percentage < 100 else {
                    throw TillTestingError(
                        "percentage is \(percentage). Use more than 0 and less than 100; without it, all is refunded."
                    )
                }
                (request.share, request.percentage) = (.part, Int((percentage * 1_000).rounded()))
            }
            return try await settle(request)
        }

        /// Refunds a purchase, in full or in part.
        @discardableResult
        public func refund(
            _ purchase: Purchase,
            percentage: Double? = nil,
            reason: RevocationReason? = nil
        ) async throws -> ActionInfo {
            try await refund(purchase.transactionId, percentage: percentage, reason: reason)
        }

        /// Turns off auto-renew. The paid period continues to its end.
        ///
        /// - Parameter transactionId: the id of a transaction of the subscription; by default the only subscription.
        @discardableResult
        public func cancel(_ transactionId: String? = nil) async throws -> ActionInfo {
            let id = try await subscriptionId(transactionId)
            return try await settle(CancelSubscription(app: app.scope, originalTransactionId: id))
        }

        /// Turns off auto-renew of the subscription that was bought.
        @discardableResult
        public func cancel(_ purchase: Purchase) async throws -> ActionInfo { try await cancel(purchase.transactionId) }

        /// Turns on auto-renew.
        ///
        /// - Parameter transactionId: the id of a transaction of the subscription; by default the only subscription.
        @discardableResult
        public func resume(_ transactionId: String? = nil) async throws -> ActionInfo {
            let id = try await subscriptionId(transactionId)
            return try await settle(ResumeSubscription(app: app.scope, originalTransactionId: id))
        }

        /// Turns on auto-renew of the subscription that was bought.
        @discardableResult
        public func resume(_ purchase: Purchase) async throws -> ActionInfo { try await resume(purchase.transactionId) }

        /// Declines the customer's card: renewals fail. The customer's purchases succeed.
        public func declineCard() async throws {
            try await change(UpdateCustomer(app: app.scope, customer: name, card: .declinedForRenewals))
        }

        /// Accepts the customer's card again, and charges failed payments at once.
        public func acceptCard() async throws {
            try await change(UpdateCustomer(app: app.scope, customer: name, card: .accepted))
        }

        /// Changes the customer, and creates the customer first if there is none.
        private func change(_ request: UpdateCustomer) async throws {
            do {
                _ = try await settle(request)
            } catch let refusal as ControlFailure where refusal.error.code == "unknown_account" {
                _ = try await app.control.send(CreateCustomer(app: app.scope, customer: name, clock: app.clockName))
                _ = try await settle(request)
            }
        }

        /// The customer with all subscriptions and owned products.
        public func info() async throws -> CustomerInfo {
            try await app.control.send(GetCustomer(app: app.scope, customer: name))
        }

        /// A subscription: its status, its period, its renewal.
        ///
        /// - Parameter productId: the product; by default the only subscription.
        /// - Throws: `TillTestingError` if the customer has no such subscription.
        public func subscription(_ productId: String? = nil) async throws -> SubscriptionInfo {
            let all = try await info().subscriptions
            let names = all.isEmpty ? "none" : all.map(\.productId).joined(separator: ", ")
            if let productId {
                guard let found = all.first(where: { $0.productId == productId }) else {
                    throw TillTestingError("\(name) has no subscription to \(productId). Subscriptions: \(names).")
                }
                return found
            }
            guard all.count == 1 else {
                throw TillTestingError("\(name) has not exactly one subscription: \(names). Name a transaction of it.")
            }
            return all[0]
        }

        private func subscriptionId(_ transactionId: String?) async throws -> String {
            if let transactionId { return transactionId }
            return try await subscription().originalTransactionId
        }

        private func latestTransactionId() async throws -> String {
            let page = try await app.control.send(ListTransactions(app: app.scope, customer: name, limit: 1))
            guard let latest = page.transactions.first else { throw TillTestingError("\(name) has no transaction.") }
            return latest.transactionId
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
