import TillCore

/// Operations on refunds and families.
extension TestLanguage {
    /// Refunds a transaction.
    @discardableResult
    package func refund(
        _ row: Transaction,
        by customer: String,
        _ share: Refund.Share = .full,
        because reason: RevocationReason = .other
    ) async throws -> Transaction? {
        let refund = Refund(transaction: row.id, share: share, reason: reason)
        return try await backend.perform(.refund(refund), by: customer)
    }

    /// Refunds the customer's purchase of a date, or the customer's latest purchase if no date is given.
    package func grantRefund(
        to customer: String,
        of date: String? = nil,
        _ share: Refund.Share = .full,
        because reason: RevocationReason = .other
    ) async throws {
        try await refund(try await purchase(of: customer, date), by: customer, share, because: reason)
    }

    /// Requests a refund of the customer's purchase of a date, or of the latest purchase if no date is given.
    package func requestRefund(
        by customer: String,
        of date: String? = nil,
        because reason: ConsumptionRequestReason = .unintendedPurchase
    ) async throws {
        try await backend.perform(.requestRefund(try await purchase(of: customer, date).id, reason), by: customer)
    }

    /// Sends consumption information on behalf of the developer.
    package func sendConsumption(
        about customer: String,
        of date: String? = nil,
        preferring preference: RefundPreference?,
        consumed: Int? = nil
    ) async throws {
        let report = ConsumptionReport(preference: preference, consumptionPercentage: consumed)
        try await backend.perform(.reportConsumption(try await purchase(of: customer, date).id, report), by: customer)
    }

    /// Declines the refund that the customer requested.
    package func declineRefund(to customer: String, of date: String? = nil) async throws {
        try await backend.perform(.declineRefund(try await purchase(of: customer, date).id), by: customer)
    }

    /// Reverses a refund.
    package func reverseRefund(to customer: String, of date: String? = nil) async throws {
        try await backend.perform(.reverseRefund(try await purchase(of: customer, date).id), by: customer)
    }

    // MARK: Families

    /// Adds a customer to another customer's family.
    package func join(_ customer: String, familyOf host: String) async throws {
        if try await backend.account(of: host) == nil { try await backend.open(host, storefront: .unitedStates) }
        guard let account = try await backend.account(of: host) else { throw NothingFound("no account of \(host)") }
        try await backend.perform(.joinFamily(of: account.id, named: "family"), by: customer)
    }

    /// Removes a customer from the family.
    package func leaveFamily(_ customer: String) async throws {
        try await backend.perform(.leaveFamily, by: customer)
    }

    /// Turns Family Sharing of the customer's latest purchase on or off.
    package func setSharing(_ shares: Bool, by customer: String) async throws {
        let original = try await purchase(of: customer, nil).originalID
        try await backend.perform(.shareWithFamily(original, shares), by: customer)
    }

    // MARK: Finding the transaction

    /// The original transaction of the customer's own subscription; of the latest subscription if there are several.
    func subscription(of customer: String) async throws -> TransactionID {
        let own = try await backend.account(of: customer)?.subscriptions.map(\.originalID).max()
        guard let own else { throw NothingFound("\(customer) has no subscription") }
        return own
    }

    /// The customer's own transaction whose period began on a date, or the latest transaction if no date is given.
    private func purchase(of customer: String, _ date: String?) async throws -> Transaction {
        let own = try await backend.transactions(of: customer).filter { $0.ownership == .purchased }
            .sorted { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
        let wanted = date.map(instant)
        guard let found = own.last(where: { wanted == nil || $0.purchaseDate == wanted }) else {
            throw NothingFound("\(customer) bought nothing\(date.map { " on \($0)" } ?? "")")
        }
        return found
    }
}

/// A test named a subscription or transaction that it has not created.
struct NothingFound: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
