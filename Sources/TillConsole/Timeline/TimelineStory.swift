import TillCore

/// The history of a subscription as time spans, independent of the drawing's width.
struct TimelineStory: Sendable {
    /// The periods by date, without overlaps.
    let periods: [TimelinePeriod]
    /// Periods that were replaced at their start, by date.
    let moments: [TimelinePeriod]
    /// Failed payments, by date.
    let billingIssues: [TimelineBillingIssue]
    /// Time spans without access, by date.
    let lapses: [TimelineStretch]
    /// Gaps between periods for which the notifications about grace periods are missing, by date.
    let unknownSpans: [TimelineStretch]
    /// Commitments, by date.
    let commitments: [TimelineCommitment]
    /// What follows the last period; nil if the subscription has ended.
    let next: TimelineNext?
    /// The number of earlier periods that are omitted.
    let hidden: Int

    /// Computes the history of a subscription.
    ///
    /// - Parameter limit: the maximum number of periods; older ones are omitted.
    init(_ facts: TimelineFacts, atMost limit: Int = .max) {
        let begun = Self.periods(facts)
        let all = begun.filter { $0.start < $0.end }
        let shown = Array(all.suffix(max(1, limit)))
        periods = shown
        hidden = all.count - shown.count
        let begin = shown.first?.start ?? facts.now
        moments = begun.filter { $0.start == $0.end && $0.start >= begin }
        billingIssues = Self.billingIssues(facts).filter { $0.end > begin }
        let gaps = Self.gaps(shown, billingIssues, facts)
        lapses = gaps.filter(\.isKnown).map(\.stretch)
        unknownSpans = gaps.filter { !$0.isKnown }.map(\.stretch)
        commitments = Self.commitments(shown)
        next = facts.isPast ? nil : Self.next(facts)
    }

    // MARK: Periods

    private static func periods(_ facts: TimelineFacts) -> [TimelinePeriod] {
        let rows = facts.rows.sorted { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
        let begun = rows.filter { row in !neverBegan(row, among: rows) }
        let extended = Set((facts.subscription.bought?.extensions ?? []).compactMap(\.lineItem))
        return begun.indices.compactMap { index in
            let row = begun[index]
            guard let whole = row.expiresDate else { return nil }
            // A transaction purchased before the end of this period replaces the rest of the period.
            let following = index + 1 < begun.count ? begun[index + 1].purchaseDate : nil
            let end = min(whole, following ?? whole)
            return TimelinePeriod(
                row: row,
                end: max(end, row.purchaseDate),
                isExtended: row.lineItem.map(extended.contains) ?? false,
                isAhead: row.purchaseDate > facts.now
            )
        }
    }

    /// Whether a renewal that was charged in advance was replaced before it began, by a plan change or after a refund.
    ///
    /// - Parameter rows: in ascending date order.
    private static func neverBegan(_ row: Transaction, among rows: [Transaction]) -> Bool {
        guard row.reason == .renewal else { return false }
        if row.isUpgraded {
            // The period that replaced this period includes its start.
            let instead = rows.last { $0.purchaseDate < row.purchaseDate }
            return instead?.reason == .purchase && instead?.expiresDate.map { $0 > row.purchaseDate } == true
        }
        guard let given = row.revocation?.date, given < row.purchaseDate else { return false }
        return rows.contains {
            $0.reason == .purchase && $0.purchaseDate >= given.wholeSecond && $0.purchaseDate <= row.purchaseDate
        }
    }

    // MARK: Failed payments

    /// Past failures come from notifications, the current failure from the subscription.
    private static func billingIssues(_ facts: TimelineFacts) -> [TimelineBillingIssue] {
        let past = pastBillingIssues(facts.notices)
        guard let failed = facts.subscription.state.failedPayment, !facts.isPast else { return past }
        let begin = facts.subscription.renewalDate
        var billingIssues = past.filter { $0.start < begin }
        // A refund ends the grace period or billing retry.
        let refund = facts.subscription.latestTransaction.revocation.map { max($0.date, begin) }
        let isOpen = facts.subscription.state.awaitsPayment
        func add(_ kind: TimelineBillingIssue.Kind, _ start: Timestamp, _ end: Timestamp, isOpen: Bool) {
            let end = min(end, refund ?? end)
            if end > start {
                billingIssues.append(TimelineBillingIssue(kind: kind, start: start, end: end, isOpen: isOpen))
            }
        }
        let graceEnd = failed.graceUntil ?? begin
        add(.grace, begin, graceEnd, isOpen: isOpen && !failed.isGraceOver)
        if failed.isGraceOver { add(.retry, graceEnd, failed.retryUntil, isOpen: isOpen) }
        return billingIssues
    }

    private static func pastBillingIssues(_ notices: [TimelineNotice]) -> [TimelineBillingIssue] {
        var billingIssues: [TimelineBillingIssue] = []
        var open: (kind: TimelineBillingIssue.Kind, start: Timestamp, transaction: TransactionID?)?
        func close(at end: Timestamp) {
            if let open, end > open.start {
                billingIssues.append(TimelineBillingIssue(kind: open.kind, start: open.start, end: end, isOpen: false))
            }
            open = nil
        }
        for notice in notices.sorted(by: { $0.date < $1.date }) {
            let date = notice.date.wholeSecond
            switch notice.type {
            case "DID_FAIL_TO_RENEW":
                close(at: date)
                open = (notice.subtype == "GRACE_PERIOD" ? .grace : .retry, date, notice.transaction)
            case "GRACE_PERIOD_EXPIRED":
                guard let transaction = open?.transaction else { continue }
                close(at: date)
                open = (.retry, date, transaction)
            case "REFUND", "REVOKE": if notice.transaction == open?.transaction { close(at: date) }
            case "DID_RENEW", "SUBSCRIBED", "EXPIRED": close(at: date)
            default: break
            }
        }
        return billingIssues
    }

    // MARK: Gaps

    /// The time spans between and after periods, except those of failed payments. There was no access in such a time
    /// span, unless notifications about a grace period are missing (`isKnown` is false).
    private static func gaps(
        _ periods: [TimelinePeriod],
        _ billingIssues: [TimelineBillingIssue],
        _ facts: TimelineFacts
    ) -> [(stretch: TimelineStretch, isKnown: Bool)] {
        var gaps: [(stretch: TimelineStretch, isKnown: Bool)] = []
        for (index, period) in periods.enumerated() {
            let isLast = index + 1 == periods.count
            guard !isLast || !facts.isPast else { continue }
            let limit = isLast ? facts.now : periods[index + 1].start
            let waiting = billingIssues.filter { $0.start >= period.start && $0.start < limit }.map {
                min($0.end, limit)
            }
            let begin = max(period.end, waiting.max() ?? period.end)
            guard begin < limit else { continue }
            let isKnown =
                isLast && knowsGrace(facts.subscription) || !waiting.isEmpty || hasNotifications(period, facts)
            gaps.append((TimelineStretch(start: begin, end: limit), isKnown))
        }
        return gaps
    }

    /// Whether notifications of a period are available. If so, the notifications of a following grace period would
    /// also be available.
    private static func hasNotifications(_ period: TimelinePeriod, _ facts: TimelineFacts) -> Bool {
        if let since = facts.knownSince, period.end <= since { return false }
        return facts.notices.contains { $0.transaction == period.row.id && $0.date.wholeSecond <= period.end }
    }

    /// Whether a subscription's state shows if a grace period followed the last period. The state does not show this if
    /// the subscription was cancelled during billing retry.
    private static func knowsGrace(_ subscription: any HeldSubscription) -> Bool {
        if case .expired = subscription.state { return subscription.state.failedPayment != nil }
        return true
    }

    // MARK: Commitments

    private static func commitments(_ periods: [TimelinePeriod]) -> [TimelineCommitment] {
        var found: [TimelineCommitment] = []
        for period in periods {
            guard let month = period.row.commitment else { continue }
            let continued = found.last.flatMap {
                month.period > 1 && $0.productID == period.productID && $0.month < month.period ? $0 : nil
            }
            if continued != nil { found.removeLast() }
            found.append(
                TimelineCommitment(
                    productID: period.productID,
                    month: month.period,
                    months: continued?.months ?? month.periods,
                    start: continued?.start ?? period.start,
                    paidUntil: period.end,
                    end: month.expiresDate
                )
            )
        }
        return found
    }

    // MARK: Next period

    private static func next(_ facts: TimelineFacts) -> TimelineNext? {
        let subscription = facts.subscription
        guard subscription.status == .active else { return nil }
        let renewal = facts.renewal
        guard renewal.autoRenews else { return .ends(renewal.renewalDate) }
        return .renews(
            renewal.renewalDate,
            productID: renewal.autoRenewProductID,
            price: renewal.renewalPrice,
            offer: renewal.offer,
            awaitsConsent: renewal.priceIncreaseStatus == 0
        )
    }
}
