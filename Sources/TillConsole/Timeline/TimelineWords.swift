import TillCore
import TillShop

/// Tooltips and screen reader texts of a timeline.
struct TimelineWords: Sendable {
    let facts: TimelineFacts
    /// Whether to show seconds, because periods are short.
    let isFine: Bool

    /// The current time on the customer's clock.
    var now: String {
        let seconds = facts.now.wholeSecond.milliseconds / 1_000
        return date(isFine ? facts.now : Timestamp(seconds: seconds - seconds % 60))
    }

    /// `5 Feb 2026, 14:05 UTC`
    func date(_ instant: Timestamp) -> String { UTCDate(instant).words }

    /// Describes a period.
    func period(_ period: TimelinePeriod) -> String {
        var sentences = ["\(facts.name(of: period.productID)), \(date(period.start)) to \(date(period.expiresDate))."]
        sentences.append(bought(period))
        if let commitment = period.row.commitment {
            sentences.append("Month \(commitment.period) of \(commitment.periods) of a commitment.")
        }
        if period.isAhead { sentences.append("Charged in advance: the period has not begun yet.") }
        if period.isExtended { sentences.append("Its renewal date was extended.") }
        if period.start == period.end {
            sentences.append("Another plan replaced it immediately.")
        } else if period.isSuperseded {
            sentences.append("Replaced by another plan on \(date(period.end)).")
        }
        if let revocation = period.row.revocation { sentences.append(words(revocation, of: period)) }
        sentences.append("Transaction \(period.row.shownID).")
        return sentences.joined(separator: " ")
    }

    private func bought(_ period: TimelinePeriod) -> String {
        let action = period.row.reason == .purchase ? "Purchased" : "Renewed"
        if period.kind == .shared { return "Shared by a family member." }
        return "\(action)\(terms(period.row.price, period.row.offer))."
    }

    /// ` for 4.99 USD with the promotional offer stay3`
    private func terms(_ price: Money?, _ offer: AppliedOffer?) -> String {
        let amount = price.map { $0.milliunits == 0 ? " for free" : " for \($0.words)" } ?? ""
        let under = offer.map { " with the \($0.kind.words) offer\($0.id.map { " \($0)" } ?? "")" } ?? ""
        return amount + under
    }

    private func words(_ revocation: Revocation, of period: TimelinePeriod) -> String {
        let cause: String
        switch revocation.kind {
        case .familyRevoke: cause = "No longer shared since"
        case .refundFull: cause = "Refunded on"
        case .refundProrated:
            cause = "Refunded\(revocation.percentage.map { " by \(Words.percent($0))" } ?? " in part") on"
        }
        let access = period.isRefundedLater ? "after the period ended" : "which ended access"
        return "\(cause) \(date(revocation.date)), \(access)."
    }

    /// Describes a failed payment.
    func billingIssue(_ billingIssue: TimelineBillingIssue) -> String {
        let span = "\(date(billingIssue.start)) to \(date(billingIssue.end))"
        return switch billingIssue.kind {
        case .grace: "Grace period, \(span): the payment failed and access continues."
        case .retry: "Billing retry, \(span): the payment failed and there is no access."
        }
    }

    /// Describes a time span without access.
    func lapse(_ lapse: TimelineStretch) -> String { "No access, \(date(lapse.start)) to \(date(lapse.end))." }

    /// Describes a gap for which notifications are missing.
    func unknownSpans(_ gap: TimelineStretch) -> String {
        "\(date(gap.start)) to \(date(gap.end)): access is unknown, because notifications of that time were deleted or "
            + "are omitted."
    }

    /// Describes what follows the last period.
    func next(_ next: TimelineNext) -> String {
        switch next {
        case .ends(let end): return "Ends on \(date(end)) and does not renew."
        case .renews(let start, let product, let price, let offer, let awaitsConsent):
            let consent = awaitsConsent ? " A price increase awaits the customer's consent." : ""
            return "Renews on \(date(start)) as \(facts.name(of: product))\(terms(price, offer)).\(consent)"
        }
    }

    /// Describes a commitment.
    func commitment(_ commitment: TimelineCommitment) -> String {
        "Monthly billing plan: month \(commitment.month) of \(commitment.months), committed until "
            + "\(date(commitment.end))."
    }

    /// Describes a notification.
    func notice(_ notice: TimelineNotice) -> String {
        let fate =
            switch notice.fate {
            case .arrived: "Delivered."
            case .pending: notice.isRetried ? "Delivery failed, and will be retried." : "Delivery pending."
            case .failed: "Delivery failed."
            case .unsent: "Not sent, because no endpoint was configured."
            }
        return "\(notice.words), \(date(notice.date)). \(fate)"
    }

    /// Describes the whole timeline.
    func whole(_ story: TimelineStory) -> String {
        var sentences: [String] = []
        if let first = story.periods.first, let last = story.periods.last {
            let count = story.periods.count == 1 ? "One period" : "\(story.periods.count) periods"
            sentences.append("\(count), \(date(first.start)) to \(date(last.end)).")
        }
        sentences += story.moments.map(period)
        sentences += story.periods.compactMap { period in
            period.revokedFrom.map { "Access revoked, \(date($0)) to \(date(period.end))." }
        }
        sentences += story.billingIssues.map(billingIssue)
        sentences += story.lapses.map(lapse)
        sentences += story.unknownSpans.map(unknownSpans)
        sentences += [story.next].compactMap(\.self).map(next)
        if !facts.isPast { sentences.append("The current time is \(now).") }
        return sentences.joined(separator: " ")
    }
}
