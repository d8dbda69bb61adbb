/// Refunds: the customer's request, the developer's consumption data, the decision and its reversal
/// (docs/api/refunds.md).
extension Ledger {
    // MARK: The request

    /// Records a customer's refund request. If it is about a period that has not ended, auto-renewal is turned off
    /// first, as in the App Store.
    mutating func requestRefund(of id: TransactionID, because reason: ConsumptionRequestReason) throws(Refusal) {
        let transaction = try transaction(id)
        if let refusal = self[transaction.account].refusalToRequestRefund(transaction) { throw refusal }
        if let subscription = self[transaction.account].subscription(transaction.originalID),
            subscription.state.periods.contains(where: { $0.id == id && $0.end > now }),
            subscription.status == .active, subscription.willRenew
        {
            try disableAutoRenew(subscription, by: transaction.account)
        }
        self[transaction.account].refundRequests.append(
            RefundRequest(
                transaction: id,
                reason: reason,
                since: now,
                decideAt: policy.refundRule == .byHand ? nil : now.advanced(milliseconds: policy.refundWindow),
                rule: policy.refundRule
            )
        )
        let asksForData = transaction.type == .consumable || transaction.type == .autoRenewable
        note(.refundRequested(id, reason, asksForData: asksForData))
    }

    /// Records the developer's consumption data, if a request is open and its 12 hours are not over. Otherwise the data
    /// is accepted and ignored.
    mutating func take(_ report: ConsumptionReport, on id: TransactionID) throws(Refusal) {
        let transaction = try transaction(id)
        guard
            let place = self[transaction.account].refundRequests.firstIndex(where: { $0.transaction == id }),
            now <= self[transaction.account].refundRequests[place].since.advanced(milliseconds: policy.refundWindow)
        else { return }
        self[transaction.account].refundRequests[place].report = report
        note(.consumptionReported(id))
    }

    // MARK: The decision

    /// Decides on a request after the time limit for consumption data, with the rule from the time of the request.
    mutating func decideRefund(of id: TransactionID, by account: AccountID) {
        guard let request = self[account].refundRequests.first(where: { $0.transaction == id }) else { return }
        do {
            switch request.rule {
            case .alwaysDecline: try declineRefund(of: id)
            case .alwaysGrant, .byHand: try grant(Refund(transaction: id))
            case .followPreference:
                switch request.report?.preference {
                case .decline: try declineRefund(of: id)
                case .grantProrated: try grant(Refund(transaction: id, share: share(after: request, of: id)))
                case .grantFull, nil: try grant(Refund(transaction: id))
                }
            }
        } catch {
            // The transaction was revoked since the request, so there is nothing left to decide.
            self[account].refundRequests.removeAll { $0.transaction == id }
            touch(account)
        }
    }

    /// The share to refund: the unused part of a subscription's period, or the part of another product that was not
    /// consumed.
    private func share(after request: RefundRequest, of id: TransactionID) -> Refund.Share {
        guard let transaction = transactions[id] else { return .full }
        if transaction.groupID != nil { return transaction.unusedPart(at: now) == nil ? .full : .unused }
        guard let consumed = request.report?.consumptionPercentage, (1..<Ledger.wholePercentage).contains(consumed)
        else {
            return .full
        }
        return .part(Ledger.wholePercentage - consumed)
    }

    mutating func declineRefund(of id: TransactionID) throws(Refusal) {
        let transaction = try transaction(id)
        guard self[transaction.account].hasRefundRequest(for: id) else { throw .refundNotRequested(id) }
        self[transaction.account].refundRequests.removeAll { $0.transaction == id }
        note(.refundDeclined(id))
    }

    mutating func grant(_ refund: Refund) throws(Refusal) {
        let transaction = try transaction(refund.transaction)
        if let refusal = self[transaction.account].refusalToRefund(transaction) { throw refusal }
        let percentage = try percentage(of: refund, transaction)
        let isFull = percentage == Ledger.wholePercentage
        self[transaction.account].refundRequests.removeAll { $0.transaction == transaction.id }
        self[transaction.account].refundNumber += 1
        let number = self[transaction.account].refundNumber
        let revocation = Revocation(
            date: now.wholeSecond,
            reason: refund.reason,
            kind: isFull ? .refundFull : .refundProrated,
            percentage: percentage
        )
        let refunded = amend(transaction) {
            $0.revocation = revocation
            $0.refundNumber = number
        }
        guard let subscription = self[transaction.account].subscription(transaction.originalID) else {
            setRevoked(true, holdingBy: transaction)
            note(.refunded(transaction.id))
            return endSharingOfProduct(refunded, reason: refund.reason)
        }
        let isLatest = subscription.state.latest.id == transaction.id
        try apply(
            isLatest ? .refund(subscription.state.latest) : .refundOfEarlier(transaction.id),
            to: subscription.originalID,
            of: transaction.account
        )
    }

    mutating func reverseRefund(of id: TransactionID) throws(Refusal) {
        let transaction = try transaction(id)
        guard transaction.isRefunded else { throw .notRefunded(id) }
        let held = self[transaction.account].subscription(transaction.originalID)
        let wasReplaced = held?.replacedRefunds.contains(id) == true
        let restored = amend(transaction) {
            $0.revocation = nil
            $0.refundNumber = nil
            if wasReplaced { $0.isUpgraded = true }
        }
        guard let subscription = self[transaction.account].subscription(transaction.originalID) else {
            setRevoked(false, holdingBy: transaction)
            note(.refundReversed(id))
            return resumeSharingOfProduct(restored)
        }
        let latest = subscription.state.latest
        // If the period ended while the transaction was refunded, the subscription expired at the end of that period.
        let endedWhy: ExpirationReason = subscription.preference.autoRenews ? .other : .customer(leftInGrace: false)
        try apply(
            latest.id == id ? .reversal(latest, endedWhy: endedWhy) : .reversalOfEarlier(id),
            to: subscription.originalID,
            of: transaction.account
        ) { $0.replacedRefunds.removeAll { $0 == id } }
        // If the customer's card is accepted, it is charged at once for a subscription that is in billing retry again.
        if self[transaction.account].card == .accepted { chargeAwaited(by: transaction.account) }
    }

    // MARK: The amount

    /// The refunded share in thousandths of a percent: 100,000 for a full refund, the requested part, or the unused
    /// part of a period.
    private func percentage(of refund: Refund, _ transaction: Transaction) throws(Refusal) -> Int {
        switch refund.share {
        case .full:
            return Ledger.wholePercentage
        case .part(let part):
            guard (1..<Ledger.wholePercentage).contains(part) else { throw .badPercentage(part) }
            return part
        case .unused:
            guard let part = transaction.unusedPart(at: now) else { throw .nothingLeftToProrate(transaction.id) }
            return part
        }
    }

    /// A full refund in thousandths of a percent.
    static let wholePercentage = 100_000
}

extension Transaction {
    /// Whether the purchaser's transaction is refunded, in full or in part.
    var isRefunded: Bool { ownership == .purchased && refundNumber != nil }

    /// The unused part of a period in thousandths of a percent. A period that has not begun is completely unused.
    func unusedPart(at now: Timestamp) -> Int? {
        guard let end = expiresDate else { return nil }
        let whole = end.milliseconds - purchaseDate.milliseconds
        let left = end.milliseconds - max(now.milliseconds, purchaseDate.milliseconds)
        guard whole > 0, left > 0 else { return nil }
        let divided = whole.dividingFullWidth(left.multipliedFullWidth(by: Int64(Ledger.wholePercentage)))
        let part = Int(divided.quotient)
        return part >= 1 ? min(part, Ledger.wholePercentage) : nil
    }
}

extension Account {
    private static let maxRefundRequests = 100

    /// Whether a refund request for a transaction is undecided.
    func hasRefundRequest(for id: TransactionID) -> Bool { refundRequests.contains { $0.transaction == id } }

    /// The reason why a transaction of the account cannot be refunded; nil if it can.
    func refusalToRefund(_ transaction: Transaction) -> Refusal? {
        guard transaction.ownership == .purchased else { return .familyShared(transaction.id) }
        return transaction.revocation.map { .alreadyRevoked(transaction.id, on: $0.date) }
    }

    /// The reason why the customer cannot request a refund of a transaction; nil if the customer can.
    func refusalToRequestRefund(_ transaction: Transaction) -> Refusal? {
        if let refusal = refusalToRefund(transaction) { return refusal }
        if hasRefundRequest(for: transaction.id) { return .refundAlreadyRequested(transaction.id) }
        guard refundRequests.count < Self.maxRefundRequests else {
            return .tooManyRefundRequests(limit: Self.maxRefundRequests)
        }
        return nil
    }
}
