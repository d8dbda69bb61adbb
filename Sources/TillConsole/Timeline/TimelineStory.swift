import TillCore

/// What happened to a subscription, as stretches of time: what a picture shows before it has a width.
package struct TimelineStory: Sendable {
    /// In their order; none reaches into the next.
    package let periods: [TimelinePeriod]
    /// Periods that another took the place of at the very instant at which they began, in their order.
    package let moments: [TimelinePeriod]
    /// Payments that could not be made, in their order.
    package let troubles: [TimelineTrouble]
    /// Stretches without access, in their order.
    package let lapses: [TimelineStretch]
    /// Stretches between periods of which nobody knows any more whether there was grace, in their order.
    package let untold: [TimelineStretch]
    /// Commitments that bind for many periods, in their order.
    package let commitments: [TimelineCommitment]
    /// What comes after the last period; nil when it has ended.
    package let next: TimelineNext?
    /// How many periods before these are left out.
    package let hidden: Int

    /// Reads the story of a subscription.
    ///
    /// - Parameter most: how many periods are shown; the newest are.
    package init(_ facts: TimelineFacts, atMost most: Int = .max) {
        let begun = Self.periods(facts)
        let all = begun.filter { $0.start < $0.end }
        let shown = Array(all.suffix(max(1, most)))
        periods = shown
        hidden = all.count - shown.count
        let begin = shown.first?.start ?? facts.now
        moments = begun.filter { $0.start == $0.end && $0.start >= begin }
        troubles = Self.troubles(facts).filter { $0.end > begin }
        let gaps = Self.gaps(shown, troubles, facts)
        lapses = gaps.filter(\.isTold).map(\.stretch)
        untold = gaps.filter { !$0.isTold }.map(\.stretch)
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
            // A later row, bought before this one was over, took its place.
            let following = index + 1 < begun.count ? begun[index + 1].purchaseDate : nil
            let end = min(whole, following ?? whole)
            return TimelinePeriod(
                row,
                until: max(end, row.purchaseDate),
                isExtended: row.lineItem.map(extended.contains) ?? false,
                isAhead: row.purchaseDate > facts.now
            )
        }
    }

    /// Whether a row was charged ahead and then given up, by a change of plan or after a refund, before it began.
    ///
    /// - Parameter rows: rising by their dates.
    private static func neverBegan(_ row: Transaction, among rows: [Transaction]) -> Bool {
        guard row.reason == .renewal else { return false }
        if row.isUpgraded {
            // What was bought instead of it runs over its date.
            let instead = rows.last { $0.purchaseDate < row.purchaseDate }
            return instead?.reason == .purchase && instead?.expiresDate.map { $0 > row.purchaseDate } == true
        }
        guard let given = row.revocation?.date, given < row.purchaseDate else { return false }
        return rows.contains {
            $0.reason == .purchase && $0.purchaseDate >= given.wholeSecond && $0.purchaseDate <= row.purchaseDate
        }
    }

    // MARK: Troubles

    /// Those of the past as they were told, the present one as the subscription knows it.
    private static func troubles(_ facts: TimelineFacts) -> [TimelineTrouble] {
        let told = toldTroubles(facts.notices)
        guard let failed = facts.subscription.state.failedPayment, !facts.isPast else { return told }
        let begin = facts.subscription.renewalDate
        var troubles = told.filter { $0.start < begin }
        // A refund ends what was waited for, and access by grace with it.
        let refund = facts.subscription.latestTransaction.revocation.map { max($0.date, begin) }
        let isOpen = facts.subscription.state.awaitsPayment
        func add(_ kind: TimelineTrouble.Kind, _ start: Timestamp, _ end: Timestamp, isOpen: Bool) {
            let end = min(end, refund ?? end)
            if end > start { troubles.append(TimelineTrouble(kind: kind, start: start, end: end, isOpen: isOpen)) }
        }
        let graceEnd = failed.graceUntil ?? begin
        add(.grace, begin, graceEnd, isOpen: isOpen && !failed.isGraceOver)
        if failed.isGraceOver { add(.retry, graceEnd, failed.retryUntil, isOpen: isOpen) }
        return troubles
    }

    private static func toldTroubles(_ notices: [TimelineNotice]) -> [TimelineTrouble] {
        var troubles: [TimelineTrouble] = []
        var open: (kind: TimelineTrouble.Kind, start: Timestamp, transaction: TransactionID?)?
        func close(at end: Timestamp) {
            if let open, end > open.start {
                troubles.append(TimelineTrouble(kind: open.kind, start: open.start, end: end, isOpen: false))
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
        return troubles
    }

    // MARK: Without access

    /// What lies between periods, and after the last, beside the payments that could not be made: there was no access,
    /// unless it was grace of which nobody knows any more.
    private static func gaps(
        _ periods: [TimelinePeriod],
        _ troubles: [TimelineTrouble],
        _ facts: TimelineFacts
    ) -> [(stretch: TimelineStretch, isTold: Bool)] {
        var gaps: [(stretch: TimelineStretch, isTold: Bool)] = []
        for (index, period) in periods.enumerated() {
            let isLast = index + 1 == periods.count
            guard !isLast || !facts.isPast else { continue }
            let limit = isLast ? facts.now : periods[index + 1].start
            let waiting = troubles.filter { $0.start >= period.start && $0.start < limit }.map { min($0.end, limit) }
            let begin = max(period.end, waiting.max() ?? period.end)
            guard begin < limit else { continue }
            let isTold = isLast && isKnown(facts.subscription) || !waiting.isEmpty || isTold(period, facts)
            gaps.append((TimelineStretch(start: begin, end: limit), isTold))
        }
        return gaps
    }

    /// Whether what was told of a period is still there when it ends: then grace after it would be, too.
    private static func isTold(_ period: TimelinePeriod, _ facts: TimelineFacts) -> Bool {
        if let since = facts.toldSince, period.end <= since { return false }
        return facts.notices.contains { $0.transaction == period.transaction && $0.date.wholeSecond <= period.end }
    }

    /// Whether a subscription itself knows whether there was grace after its last period; one that was given up while
    /// it waited for money does not.
    private static func isKnown(_ subscription: any HeldSubscription) -> Bool {
        if case .expired = subscription.state { return subscription.state.failedPayment != nil }
        return true
    }

    // MARK: Commitments

    private static func commitments(_ periods: [TimelinePeriod]) -> [TimelineCommitment] {
        var found: [TimelineCommitment] = []
        for period in periods {
            guard let month = period.commitment else { continue }
            if month.period > 1, let last = found.last, last.productID == period.productID, last.month < month.period {
                found[found.count - 1].month = month.period
                found[found.count - 1].paidUntil = period.end
                found[found.count - 1].end = month.expiresDate
            } else {
                found.append(
                    TimelineCommitment(
                        productID: period.productID,
                        month: month.period,
                        months: month.periods,
                        start: period.start,
                        paidUntil: period.end,
                        end: month.expiresDate
                    )
                )
            }
        }
        return found
    }

    // MARK: What comes next

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
