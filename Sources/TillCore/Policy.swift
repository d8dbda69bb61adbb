/// Choices where the specification leaves one, or where Till departs from Apple on purpose. Each is a named setting.
package struct Policy: Codable, Equatable, Sendable {
    /// Whether setting an app account token moves the transaction to the end of the history.
    package var tokenChangeMovesHistory: Bool
    /// Whether any lapsed customer may take a win-back offer, as in Apple's sandbox, or only one who meets its
    /// criteria.
    package var winBackForAnyLapsed: Bool
    /// How long a gap in paid service may last before a new run begins, in milliseconds.
    package var longestGap: Int64

    /// The choices for a realm.
    package init(for realm: Realm, tokenChangeMovesHistory: Bool = true) {
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        winBackForAnyLapsed = realm == .sandbox
        longestGap = realm == .sandbox ? 10 * 60_000 : 60 * 86_400_000
    }

    /// Whether a customer may take a win-back offer on a lapsed subscription of their own.
    package func allows(
        winBack offer: Offer,
        for subscription: Subscription,
        of account: Account,
        at now: Timestamp
    ) -> Bool {
        guard subscription.ownership == .purchased, subscription.status(at: now) == .expired else { return false }
        if winBackForAnyLapsed { return true }
        let criteria = offer.winBack ?? WinBackCriteria()
        let lapsed = Policy.wholeMonths(now.milliseconds - subscription.renewalDate.milliseconds)
        guard criteria.monthsSinceExpiry.contains(lapsed) else { return false }
        guard Policy.wholeMonths(subscription.paidService) >= criteria.minimumPaidMonths else { return false }
        guard let last = account.winBackOffersTaken[subscription.groupID] else { return true }
        return Policy.wholeMonths(now.milliseconds - last.milliseconds) >= criteria.monthsBetweenOffers
    }

    /// Months as the criteria count them: of 28 days, so that one paid month of any length is one.
    private static func wholeMonths(_ milliseconds: Int64) -> Int {
        Int(milliseconds / (28 * 86_400_000))
    }
}
