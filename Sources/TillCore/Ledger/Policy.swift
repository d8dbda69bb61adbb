/// Choices where the specification leaves one, or where Till departs from Apple on purpose. Each is a named setting of
/// the server or of an app's environment.
package struct Policy: Codable, Equatable, Sendable {
    /// Whether setting an app account token moves the transaction to the end of the history.
    package var tokenChangeMovesHistory: Bool
    /// Whether any lapsed customer may take a win-back offer, as in Apple's sandbox, or only one who meets its
    /// criteria.
    package var winBackForAnyLapsed: Bool
    /// How long a month is.
    package var rate: RenewalRate
    /// How long before the end of a period the next one is charged, in milliseconds.
    package var renewalLead: Int64
    /// After so many renewals a subscription turns itself off; nil is without end.
    package var renewalCap: Int?
    /// Nil while the app has not opted in.
    package var grace: GracePeriod?
    /// Days from the end of a paid period to the last attempt at charging for the next.
    package var retryDays: Int
    /// The same for a commitment that is billed monthly, which has no grace period.
    package var commitmentRetryDays: Int
    /// Whether the 31st comes back after a shorter month, or the day drifts.
    package var keepsAnchorDay: Bool
    /// Whether renewal info goes on saying when a grace period ended, until the subscription is paid again.
    package var keepsGraceDate: Bool
    /// Whether plans that are billed monthly are sold in the United States and Singapore too.
    package var commitmentsEverywhere: Bool
    /// Whether the first paid period can be extended, or only a period after an earlier paid one.
    package var extendsFirstPeriod: Bool
    /// From a customer's request to the decision on it, in milliseconds.
    package var refundWindow: Int64
    /// Who decides on a refund that was asked for.
    package var refundRule: RefundRule
    /// Storefronts whose law asks for consent to every increase of a price.
    package var storefrontsAskingConsent: Set<String>
    /// What a purchase costs where the operator wrote no price.
    package var missingPrice: MissingPrice
    /// Whether family members are notified of the end of a grace period, of an extension and of a reversed refund, of
    /// which Apple's documentation does not say that members are notified.
    package var extraFamilyNotifications: Bool

    /// The choices for an environment: calendar months in both; production charges a day ahead.
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

    /// The end of a period that belongs to a run.
    ///
    /// - Parameter anchor: where the run began; its day counts unless the day is to drift.
    func end(of period: Period, from start: Timestamp, anchor: PeriodAnchor) -> Timestamp {
        rate.end(
            of: period,
            from: start,
            anchorDay: keepsAnchorDay ? anchor.day : nil,
            anchorTime: anchor.time
        )
    }

    /// How long a gap in paid service may last before a new run begins, in milliseconds: sixty days, or ten minutes
    /// where months are accelerated.
    package var longestGap: Int64 { rate.isCalendar ? 60 * 86_400_000 : 10 * 60_000 }

    /// Whether a customer may take a win-back offer on a lapsed subscription of their own.
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

    /// Months as the criteria count them: of 28 days, so that one paid month of any length is one.
    private static func wholeMonths(_ milliseconds: Int64) -> Int {
        Int(milliseconds / (28 * 86_400_000))
    }
}

/// Access that goes on for a while when a renewal cannot be charged (docs/api/lifecycle.md, Billing).
package struct GracePeriod: Codable, Hashable, Sendable {
    /// Which failed renewals it covers.
    package enum Coverage: String, Codable, CaseIterable, Sendable {
        /// Also the first payment after a trial or an offer.
        case allRenewals = "ALL_RENEWALS"
        case paidToPaidOnly = "PAID_TO_PAID_ONLY"
    }

    /// 3, 16 or 28; a weekly subscription has six at the most.
    package var days: Int
    /// `ALL_RENEWALS` unless the app says otherwise.
    package var coverage: Coverage

    /// A grace period as an app opts in to it.
    package init(days: Int, coverage: Coverage = .allRenewals) {
        self.days = days
        self.coverage = coverage
    }

    /// The lengths there are.
    package static let lengths = [3, 16, 28]
}

/// Who decides on a refund that a customer asked for, once the time for consumption data is over.
package enum RefundRule: String, Codable, CaseIterable, Sendable {
    /// What the developer prefers; granted where nothing was sent.
    case followPreference
    case alwaysGrant
    case alwaysDecline
    /// Nobody: the operator decides.
    case byHand
}
