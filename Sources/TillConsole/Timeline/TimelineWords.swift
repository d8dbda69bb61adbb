import TillCore
import TillShop

/// What the parts of a picture say when they are pointed at, or read aloud.
struct TimelineWords: Sendable {
    let facts: TimelineFacts
    /// Whether seconds count: they pass too fast to be told where periods are long.
    let isFine: Bool

    /// The customer's time.
    var now: String {
        let seconds = facts.now.wholeSecond.milliseconds / 1_000
        return date(isFine ? facts.now : Timestamp(seconds: seconds - seconds % 60))
    }

    /// `5 Feb 2026, 14:05 UTC`
    func date(_ instant: Timestamp) -> String { TimelineDate(instant).words }

    /// A period, in sentences.
    func period(_ period: TimelinePeriod) -> String {
        var sentences = ["\(facts.name(of: period.productID)), \(date(period.start)) to \(date(period.expiresDate))."]
        sentences.append(bought(period))
        if let commitment = period.commitment {
            sentences.append("Month \(commitment.period) of \(commitment.periods) of a commitment.")
        }
        if period.isAhead { sentences.append("Charged ahead: it has not begun.") }
        if period.isExtended { sentences.append("Its end was moved by an extension.") }
        if period.start == period.end {
            sentences.append("Something else took its place at the same instant.")
        } else if period.isSuperseded {
            sentences.append("Another plan took its place at \(date(period.end)).")
        }
        if let revocation = period.revocation { sentences.append(words(revocation, of: period)) }
        sentences.append("Transaction \(period.transaction.wireForm).")
        return sentences.joined(separator: " ")
    }

    private func bought(_ period: TimelinePeriod) -> String {
        let act = period.reason == .purchase ? "Bought" : "Renewed"
        if period.kind == .shared { return "Shared by a family member." }
        let price = period.price.map { $0.milliunits == 0 ? " for nothing" : " for \($0.words)" } ?? ""
        return "\(act)\(price)\(period.offer.map { " under \(offer($0))" } ?? "")."
    }

    /// `the promotional offer stay3`
    func offer(_ offer: AppliedOffer) -> String {
        "the \(offer.kind.words) offer\(offer.id.map { " \($0)" } ?? "")"
    }

    private func words(_ revocation: Revocation, of period: TimelinePeriod) -> String {
        let cause: String
        switch revocation.kind {
        case .familyRevoke: cause = "No longer shared since"
        case .refundFull: cause = "Refunded at"
        case .refundProrated:
            cause = "Refunded\(revocation.percentage.map { " by \(Words.percent($0))" } ?? " in part") at"
        }
        let access = period.isRefundedLater ? "after it was over" : "access ended then"
        return "\(cause) \(date(revocation.date)), \(access)."
    }

    /// A payment that could not be made.
    func trouble(_ trouble: TimelineTrouble) -> String {
        let span = "\(date(trouble.start)) to \(date(trouble.end))"
        return switch trouble.kind {
        case .grace: "Grace period, \(span): the payment failed and access goes on."
        case .retry: "Billing retry, \(span): the payment failed and there is no access."
        }
    }

    /// A stretch without access.
    func lapse(_ lapse: TimelineStretch) -> String { "No access, \(date(lapse.start)) to \(date(lapse.end))." }

    /// A stretch of which nobody knows any more whether there was access.
    func untold(_ gap: TimelineStretch) -> String {
        "\(date(gap.start)) to \(date(gap.end)): whether there was grace is not known, because what was told then is "
            + "not kept or left out."
    }

    /// What comes after the last period.
    func next(_ next: TimelineNext) -> String {
        switch next {
        case .ends(let end): return "It ends at \(date(end)) and does not renew."
        case .renews(let start, let product, let price, let offer, let awaitsConsent):
            let amount = price.map { $0.milliunits == 0 ? " for nothing" : " for \($0.words)" } ?? ""
            let under = offer.map { " under \(self.offer($0))" } ?? ""
            let consent = awaitsConsent ? " A higher price waits for the customer's consent." : ""
            return "It renews at \(date(start)) as \(facts.name(of: product))\(amount)\(under).\(consent)"
        }
    }

    /// A commitment.
    func commitment(_ commitment: TimelineCommitment) -> String {
        "Paid monthly: month \(commitment.month) of \(commitment.months), committed until \(date(commitment.end))."
    }

    /// A notification.
    func notice(_ notice: TimelineNotice) -> String {
        let fate =
            switch notice.fate {
            case .arrived: "It arrived."
            case .owed: "It has not arrived yet."
            case .failed: "It was given up."
            case .unsent: "Nobody was to be told."
            }
        return "\(notice.words), \(date(notice.date)). \(fate)"
    }

    /// The picture as a whole.
    func whole(_ story: TimelineStory) -> String {
        var sentences: [String] = []
        if let first = story.periods.first, let last = story.periods.last {
            let count = story.periods.count == 1 ? "One period" : "\(story.periods.count) periods"
            sentences.append("\(count), \(date(first.start)) to \(date(last.end)).")
        }
        sentences += story.moments.map(period)
        sentences += story.periods.compactMap { period in
            period.revokedFrom.map { "Taken back, \(date($0)) to \(date(period.end))." }
        }
        sentences += story.troubles.map(trouble)
        sentences += story.lapses.map(lapse)
        sentences += story.untold.map(untold)
        sentences += [story.next].compactMap(\.self).map(next)
        if !facts.isPast { sentences.append("Now is \(now).") }
        return sentences.joined(separator: " ")
    }
}
