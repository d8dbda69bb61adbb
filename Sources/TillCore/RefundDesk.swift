/// Refunds and their reversal (docs/api/refunds.md).
extension Ledger {
    mutating func grant(_ refund: Refund) throws(Refusal) {
        let row = try row(refund.transaction)
        guard row.ownership == .purchased else { throw .familyShared(row.id) }
        if let revocation = row.revocation { throw .alreadyRevoked(row.id, on: revocation.date) }
        let percentage = try percentage(of: refund, row)
        self[row.account].refundNumber += 1
        let number = self[row.account].refundNumber
        let revocation = Revocation(
            date: now.wholeSecond,
            reason: refund.reason,
            kind: refund.share == .full ? .refundFull : .refundProrated,
            percentage: percentage
        )
        let refunded = amend(row) {
            $0.revocation = revocation
            $0.refundNumber = number
        }
        if self[row.account].owned[row.productID]?.transaction == row.id {
            self[row.account].owned[row.productID] = nil
        }
        note(.refunded(row.id))
        if isLatest(refunded) { endSharing(of: refunded, reason: refund.reason) }
    }

    mutating func reverseRefund(of id: TransactionID) throws(Refusal) {
        let row = try row(id)
        guard row.ownership == .purchased, row.refundNumber != nil else { throw .notRefunded(id) }
        let restored = amend(row) {
            $0.revocation = nil
            $0.refundNumber = nil
        }
        if row.type == .nonConsumable, self[row.account].owned[row.productID] == nil {
            self[row.account].owned[row.productID] = OwnedProduct(transaction: row.id, ownership: .purchased)
        }
        note(.refundReversed(id))
        if isLatest(restored) { resumeSharing(of: restored) }
    }

    /// Whether the family's access hangs on this row: any one-time product, or a subscription's latest transaction.
    private func isLatest(_ row: Transaction) -> Bool {
        guard let group = row.groupID else { return true }
        return self[row.account].subscription(toGroup: group, .purchased)?.current.id == row.id
    }

    /// Thousandths of a percent: 100,000 in full, or the part that was asked for, or the unused part of a period.
    private func percentage(of refund: Refund, _ row: Transaction) throws(Refusal) -> Int {
        switch refund.share {
        case .full:
            return 100_000
        case .part(let part):
            guard (1..<100_000).contains(part) else { throw .badPercentage(part) }
            return part
        case .unused:
            guard let end = row.expiresDate else { throw .nothingLeftToProrate(row.id) }
            let whole = end.milliseconds - row.purchaseDate.milliseconds
            let left = end.milliseconds - max(now.milliseconds, row.purchaseDate.milliseconds)
            let part = whole > 0 ? Int(left * 100_000 / whole) : 0
            guard part >= 1 else { throw .nothingLeftToProrate(row.id) }
            return min(part, 99_999)
        }
    }
}
