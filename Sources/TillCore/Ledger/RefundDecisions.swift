/// Refunds: the customer's request, the developer's report, the decision, and its reversal (docs/api/refunds.md).
extension Ledger {
    // MARK: The request

    /// A customer requests a refund. For a subscription, auto-renewal is turned off first, as in the App Store.
    mutating func requestRefund(of id: TransactionID, because reason: ConsumptionRequestReason) throws(Refusal) {
        let row = try row(id)
        guard row.ownership == .purchased else { throw .familyShared(id) }
        if let revocation = row.revocation { throw .alreadyRevoked(id, on: revocation.date) }
        guard !self[row.account].refundRequests.contains(where: { $0.transaction == id }) else {
            throw .refundAlreadyRequested(id)
        }
        guard self[row.account].refundRequests.count < Ledger.mostRefundRequests else {
            throw .tooManyRefundRequests(most: Ledger.mostRefundRequests)
        }
        if let subscription = self[row.account].subscription(row.originalID), subscription.state.contains(id),
            subscription.status == .active, subscription.willRenew
        {
            try disableAutoRenew(subscription, by: row.account)
        }
        self[row.account].refundRequests.append(
            RefundRequest(
                transaction: id,
                reason: reason,
                since: now,
                decideAt: policy.refundRule == .byHand ? nil : now.advanced(milliseconds: policy.refundWindow),
                rule: policy.refundRule
            )
        )
        let asksForData = row.type == .consumable || row.type == .autoRenewable
        note(.refundRequested(id, reason, asksForData: asksForData))
    }

    /// The developer's consumption report. It counts while a request is open and its twelve hours are not over;
    /// otherwise it is accepted and ignored.
    mutating func take(_ report: ConsumptionReport, on id: TransactionID) throws(Refusal) {
        let row = try row(id)
        guard
            let place = self[row.account].refundRequests.firstIndex(where: { $0.transaction == id }),
            now <= self[row.account].refundRequests[place].since.advanced(milliseconds: policy.refundWindow)
        else { return }
        self[row.account].refundRequests[place].report = report
        note(.consumptionReported(id))
    }

    // MARK: The decision

    /// The time for the report is over: the rule from the time of the request decides.
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
            // It was refunded or withdrawn meanwhile: nothing is left to decide.
            self[account].refundRequests.removeAll { $0.transaction == id }
            touch(account)
        }
    }

    /// What remains: the unused part of a subscription's period, or what was not consumed of another product.
    private func share(after request: RefundRequest, of id: TransactionID) -> Refund.Share {
        guard let row = rows[id] else { return .full }
        if row.groupID != nil { return unusedPart(of: row) == nil ? .full : .unused }
        guard let consumed = request.report?.consumptionPercentage, (1..<Ledger.wholePercentage).contains(consumed)
        else {
            return .full
        }
        return .part(Ledger.wholePercentage - consumed)
    }

    mutating func declineRefund(of id: TransactionID) throws(Refusal) {
        let row = try row(id)
        guard self[row.account].refundRequests.contains(where: { $0.transaction == id }) else {
            throw .refundNotRequested(id)
        }
        self[row.account].refundRequests.removeAll { $0.transaction == id }
        note(.refundDeclined(id))
    }

    mutating func grant(_ refund: Refund) throws(Refusal) {
        let row = try row(refund.transaction)
        guard row.ownership == .purchased else { throw .familyShared(row.id) }
        if let revocation = row.revocation { throw .alreadyRevoked(row.id, on: revocation.date) }
        let percentage = try percentage(of: refund, row)
        let isFull = percentage == Ledger.wholePercentage
        self[row.account].refundRequests.removeAll { $0.transaction == row.id }
        self[row.account].refundNumber += 1
        let number = self[row.account].refundNumber
        let revocation = Revocation(
            date: now.wholeSecond,
            reason: refund.reason,
            kind: isFull ? .refundFull : .refundProrated,
            percentage: percentage
        )
        let refunded = amend(row) {
            $0.revocation = revocation
            $0.refundNumber = number
        }
        guard let subscription = self[row.account].subscription(row.originalID) else {
            setRevoked(true, holdingBy: row)
            note(.refunded(row.id))
            return endSharingOfProduct(refunded, reason: refund.reason)
        }
        let isLatest = subscription.state.latest.id == row.id
        try apply(
            isLatest ? .refund(subscription.state.latest) : .refundOfEarlier(row.id),
            to: subscription.originalID,
            of: row.account
        )
    }

    mutating func reverseRefund(of id: TransactionID) throws(Refusal) {
        let row = try row(id)
        guard row.ownership == .purchased, row.refundNumber != nil else { throw .notRefunded(id) }
        let held = self[row.account].subscription(row.originalID)
        let wasReplaced = held?.replacedRefunds.contains(id) == true
        let restored = amend(row) {
            $0.revocation = nil
            $0.refundNumber = nil
            if wasReplaced { $0.isUpgraded = true }
        }
        guard let subscription = self[row.account].subscription(row.originalID) else {
            setRevoked(false, holdingBy: row)
            note(.refundReversed(id))
            return resumeSharingOfProduct(restored)
        }
        let latest = subscription.state.latest
        // If the period ended while it was refunded, the subscription expired then.
        let endedWhy: ExpirationReason = subscription.preference.autoRenews ? .other : .customer(leftInGrace: false)
        try apply(
            latest.id == id ? .reversal(latest, endedWhy: endedWhy) : .reversalOfEarlier(id),
            to: subscription.originalID,
            of: row.account
        ) { $0.replacedRefunds.removeAll { $0 == id } }
        // A card that was accepted meanwhile is charged at once for a payment that is awaited again.
        if self[row.account].card == .accepted { chargeAwaited(by: row.account) }
    }

    // MARK: The amount

    /// Thousandths of a percent: 100,000 in full, the requested part, or the unused part of a period.
    private func percentage(of refund: Refund, _ row: Transaction) throws(Refusal) -> Int {
        switch refund.share {
        case .full:
            return Ledger.wholePercentage
        case .part(let part):
            guard (1..<Ledger.wholePercentage).contains(part) else { throw .badPercentage(part) }
            return part
        case .unused:
            guard let part = unusedPart(of: row) else { throw .nothingLeftToProrate(row.id) }
            return part
        }
    }

    /// A period that has not begun is completely unused.
    private func unusedPart(of row: Transaction) -> Int? {
        guard let end = row.expiresDate else { return nil }
        let whole = end.milliseconds - row.purchaseDate.milliseconds
        let left = end.milliseconds - max(now.milliseconds, row.purchaseDate.milliseconds)
        guard whole > 0, left > 0 else { return nil }
        let divided = whole.dividingFullWidth(left.multipliedFullWidth(by: Int64(Ledger.wholePercentage)))
        let part = Int(divided.quotient)
        return part >= 1 ? min(part, Ledger.wholePercentage) : nil
    }

    /// Thousandths of a percent of a full refund.
    private static let wholePercentage = 100_000

    private static let mostRefundRequests = 100
}
