/// The settings that the operator can change: choices that Apple's documentation leaves open, and differences from
/// Apple. Each is a setting of the server or of an app's environment.
package struct Policy: Codable, Equatable, Sendable {
    /// Whether a new app account token moves the transaction to the end of the transaction history.
    package var tokenChangeMovesHistory: Bool
    /// Whether every former subscriber may redeem a win-back offer, as in Apple's sandbox. Otherwise the customer must
    /// meet the criteria of the offer.
    package var winBackForAnyLapsed: Bool
    /// The subscription renewal rate, which determines how long a month lasts.
    package var rate: RenewalRate
    /// The time between the charge for a period and the beginning of the period, in milliseconds.
    package var renewalLead: Int64
    /// The number of renewals after which auto-renewal is turned off; nil for no limit.
    package var renewalCap: Int?
    /// The grace period; nil if the app has not opted in.
    package var grace: GracePeriod?
    /// The days of billing retry: from the end of a paid period to the last attempt to charge for the next one.
    package var retryDays: Int
    /// The days of billing retry for a commitment with monthly billing, which has no grace period.
    package var commitmentRetryDays: Int
    /// Whether a subscription that began on the 31st returns to the 31st after a shorter month. Otherwise it keeps the
    /// day of the shorter month.
    package var keepsAnchorDay: Bool
    /// Whether renewal info keeps the end date of a past grace period until the next payment.
    package var keepsGraceDate: Bool
    /// Whether commitments with monthly billing are also sold in the United States and Singapore.
    package var commitmentsEverywhere: Bool
    /// Whether the first paid period can be extended. Otherwise an extension needs an earlier paid period.
    package var extendsFirstPeriod: Bool
    /// The time from a customer's refund request to the decision, in milliseconds.
    package var refundWindow: Int64
    /// The rule that decides on refund requests.
    package var refundRule: RefundRule
    /// Storefronts whose law requires consent to every price increase.
    package var storefrontsAskingConsent: Set<String>
    /// The price of a purchase for which the catalog has no price.
    package var missingPrice: MissingPrice
    /// Whether family members' copies also cause notifications when a grace period ends, a period is extended or a
    /// refund is reversed. Apple's documentation does not mention these notifications.
    package var extraFamilyNotifications: Bool

    /// The default settings of an environment. Both environments use calendar months; production charges a day in
    /// advance.
    package init(for environment: StoreEnvironment, tokenChangeMovesHistory: Bool = true, rate: RenewalRate = .calendar)
    {
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        self.rate = rate
        winBackForAnyLapsed = environment == .sandbox
        renewalLead = environment == .production && rate.isCalendar ? 86_400_000 : 0
        renewalCap = nil
        grace = nil
        retryDays = 60
        commitmentRetryDays = 90
        keepsAnchorDay = true
        keepsGraceDate = true
        commitmentsEverywhere = true
        extendsFirstPeriod = true
        refundWindow = 12 * 3_600_000
        refundRule = .followPreference
        storefrontsAskingConsent = []
        missingPrice = .storefrontCurrency
        extraFamilyNotifications = true
    }

    /// The end of a period in the current run of periods.
    ///
    /// - Parameter anchor: The beginning of the run. Its day of the month is kept if `keepsAnchorDay` is set.
    func end(of period: Period, from start: Timestamp, anchor: PeriodAnchor) -> Timestamp {
        rate.end(
            of: period,
            from: start,
            anchorDay: keepsAnchorDay ? anchor.day : nil,
            anchorTime: anchor.time
        )
    }

    /// The longest gap in paid service that does not start a new run of periods, in milliseconds. It is 60 days, or 10
    /// minutes at accelerated renewal rates.
    package var maxGap: Int64 { rate.isCalendar ? 60 * 86_400_000 : 10 * 60_000 }

    /// Whether the customer who bought an expired subscription may redeem a win-back offer for it.
    package func allows(
        winBack offer: Offer,
        for subscription: some HeldSubscription,
        of account: Account,
        at now: Timestamp
    ) -> Bool {
        guard let subscription = subscription.bought, subscription.status == .expired else { return false }
        if winBackForAnyLapsed { return true }
        let criteria = offer.winBack ?? WinBackCriteria()
        let lapsed = Policy.wholeMonths(now.milliseconds - subscription.renewalDate.milliseconds)
        guard criteria.monthsSinceExpiry.contains(lapsed) else { return false }
        guard Policy.wholeMonths(subscription.paidService) >= criteria.minimumPaidMonths else { return false }
        guard let last = account.winBackOffersTaken[subscription.groupID] else { return true }
        return Policy.wholeMonths(now.milliseconds - last.milliseconds) >= criteria.monthsBetweenOffers
    }

    /// The number of months for the win-back criteria. A month has 28 days here, so that a paid month of any length
    /// counts.
    private static func wholeMonths(_ milliseconds: Int64) -> Int {
        Int(milliseconds / (28 * 86_400_000))
    }
}

/// Continued access after the payment for a renewal failed (docs/api/lifecycle.md, Billing).
package struct GracePeriod: Codable, Hashable, Sendable {
    /// The length in days: 3, 16 or 28. A weekly subscription gets at most 6 days.
    package var days: Int
    /// The failed renewals that start a grace period; all renewals by default.
    package var coverage: GracePeriodCoverage

    /// A grace period that an app has opted in to.
    package init(days: Int, coverage: GracePeriodCoverage = .allRenewals) {
        self.days = days
        self.coverage = coverage
    }

    /// The lengths that an app can choose, in days.
    package static let lengths = [3, 16, 28]
}
