/// Settings where the specification leaves a choice, or where Till deviates from Apple on purpose. Each is a named
/// setting of the server or of an app's environment.
package struct Policy: Codable, Equatable, Sendable {
    /// Whether setting an app account token moves the transaction to the end of the history.
    package var tokenChangeMovesHistory: Bool
    /// Whether any former subscriber may redeem a win-back offer, as in Apple's sandbox, or only one who meets its
    /// criteria.
    package var winBackForAnyLapsed: Bool
    /// How long a month is.
    package var rate: RenewalRate
    /// How long before the end of a period the next one is charged, in milliseconds.
    package var renewalLead: Int64
    /// After this many renewals auto-renewal is turned off; nil means no limit.
    package var renewalCap: Int?
    /// Nil if the app has not opted in.
    package var grace: GracePeriod?
    /// Days from the end of a paid period to the last attempt to charge the next one.
    package var retryDays: Int
    /// The same for a commitment that is billed monthly, which has no grace period.
    package var commitmentRetryDays: Int
    /// Whether the 31st returns after a shorter month, or the day drifts.
    package var keepsAnchorDay: Bool
    /// Whether renewal info keeps the end date of a grace period that is over, until the next payment.
    package var keepsGraceDate: Bool
    /// Whether plans with monthly billing are also sold in the United States and Singapore.
    package var commitmentsEverywhere: Bool
    /// Whether the first paid period can be extended, or only one after an earlier paid period.
    package var extendsFirstPeriod: Bool
    /// From a customer's refund request to the decision, in milliseconds.
    package var refundWindow: Int64
    /// Who decides on refund requests.
    package var refundRule: RefundRule
    /// Storefronts whose law requires consent to every price increase.
    package var storefrontsAskingConsent: Set<String>
    /// What a purchase costs where the catalog has no price.
    package var missingPrice: MissingPrice
    /// Whether family members are notified of the end of a grace period, an extension and a reversed refund. Apple's
    /// documentation does not say so.
    package var extraFamilyNotifications: Bool

    /// The defaults of an environment: calendar months in both; production charges a day ahead.
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

    /// The end of a period in a run of periods.
    ///
    /// - Parameter anchor: where the run began; its day of the month applies unless the day may drift.
    func end(of period: Period, from start: Timestamp, anchor: PeriodAnchor) -> Timestamp {
        rate.end(
            of: period,
            from: start,
            anchorDay: keepsAnchorDay ? anchor.day : nil,
            anchorTime: anchor.time
        )
    }

    /// The longest gap in paid service within one run, in milliseconds: sixty days, or ten minutes at accelerated
    /// rates.
    package var maxGap: Int64 { rate.isCalendar ? 60 * 86_400_000 : 10 * 60_000 }

    /// Whether a customer may redeem a win-back offer on an expired subscription of their own.
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

    /// Months in the sense of the criteria: 28 days, so that one paid month of any length counts as one.
    private static func wholeMonths(_ milliseconds: Int64) -> Int {
        Int(milliseconds / (28 * 86_400_000))
    }
}

/// Access that continues for a while when a renewal cannot be charged (docs/api/lifecycle.md, Billing).
package struct GracePeriod: Codable, Hashable, Sendable {
    /// Which failed renewals it covers.
    package enum Coverage: String, Codable, CaseIterable, Sendable {
        /// Also the first payment after a trial or an offer.
        case allRenewals = "ALL_RENEWALS"
        case paidToPaidOnly = "PAID_TO_PAID_ONLY"
    }

    /// 3, 16 or 28; at most six for a weekly subscription.
    package var days: Int
    /// `ALL_RENEWALS` by default.
    package var coverage: Coverage

    /// A grace period as an app opts in to it.
    package init(days: Int, coverage: Coverage = .allRenewals) {
        self.days = days
        self.coverage = coverage
    }

    /// The possible lengths.
    package static let lengths = [3, 16, 28]
}

/// Who decides on a refund request, once the time for consumption data is over.
package enum RefundRule: String, Codable, CaseIterable, Sendable {
    /// As the developer prefers; granted if nothing was sent.
    case followPreference
    case alwaysGrant
    case alwaysDecline
    /// The operator decides.
    case byHand
}
