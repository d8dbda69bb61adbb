import TillCore

/// The named departures from Apple's behaviour and the choices where it is not known (docs/operating/settings.md).
package struct Settings: Equatable, Sendable {
    /// Answer Look Up Order ID in the sandbox too, where Apple's has none.
    package var orderLookupInSandbox = true
    /// Let a transaction whose app account token was set reappear at the end of the history.
    package var tokenChangeMovesHistory = true
    /// Entries that the request log keeps.
    package var journalLength = 10_000
    /// Note requests that succeed in the request log, too.
    package var journalAll = false
    /// Keep the bodies of what is noted, secrets struck out.
    package var journalBodies = false
    /// How long a month is in the sandbox, where an app has not chosen.
    package var sandboxRate = RenewalRate.calendar
    /// After so many renewals a subscription of the sandbox turns itself off; 0 is without end.
    package var sandboxRenewalCap = 0
    /// Try again in the sandbox what did not arrive, as in production.
    package var retriesInSandbox = true
    /// Let the 31st come back after a shorter month.
    package var keepsAnchorDay = true
    /// Let renewal info go on saying when a grace period ended.
    package var keepsGraceDate = true
    /// Sell plans that are billed monthly in the United States and Singapore too.
    package var commitmentsEverywhere = true
    /// Grant extensions in the first paid period too, where Apple asks for an earlier paid one.
    package var extendsFirstPeriod = true
    /// Notify family members of reversed refunds, extensions and the end of a grace period, of which Apple's
    /// documentation does not say that members are notified.
    package var extraFamilyNotifications = true
    /// Minutes from a customer's request for a refund to the decision.
    package var refundWindowMinutes = 720
    /// Storefronts whose law asks for consent to every increase of a price, alpha-3.
    package var storefrontsAskingConsent: [String] = []
    /// Let the notification history tell of what was made and not tried, too.
    package var historyListsAll = false
    /// Days before the window of the notification history in which a start date is still accepted; what is returned
    /// begins with the window all the same. A client that asks for exactly the window always arrives a moment too late.
    package var historyExtraDays = 1
    /// Send version 1 in the sandbox in full, too, where Apple's leaves some types out.
    package var versionOneInSandbox = true
    /// Days for which notifications are kept; 0 is for ever, nil as long as Apple's history reaches back in the
    /// environment.
    package var notificationDays: Int?
    /// Seconds in which a developer's server must have answered.
    package var deliveryTimeout = 10
    /// Seconds of the shop's time for which a transaction that did not change is not signed again; 0 signs each answer.
    package var signatureAge = 0
    /// Let control erase and replace what there is: reset, restore, import of a state.
    package var allowReset = true
    /// PEM files of certificate authorities that developers' servers may have, beside the system's.
    package var deliveryRoots: [String] = []
    /// Where endpoints may lead.
    package var endpointNetworks = EndpointNetworks()

    /// Till's own choices.
    package init(orderLookupInSandbox: Bool = true, tokenChangeMovesHistory: Bool = true, journalLength: Int = 10_000) {
        self.orderLookupInSandbox = orderLookupInSandbox
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        self.journalLength = journalLength
    }

    /// Every departure taken back: Apple's behaviour as far as it is known.
    package static let apple: Settings = {
        var settings = Settings(orderLookupInSandbox: false)
        settings.sandboxRate = .sandbox
        settings.sandboxRenewalCap = 12
        settings.retriesInSandbox = false
        settings.commitmentsEverywhere = false
        settings.extendsFirstPeriod = false
        settings.extraFamilyNotifications = false
        settings.versionOneInSandbox = false
        settings.historyExtraDays = 0
        return settings
    }()

    /// When what did not arrive is sent again in an environment.
    package func schedule(of version: NotificationVersion, in environment: StoreEnvironment) -> RetrySchedule {
        if environment == .sandbox, !retriesInSandbox { return .single }
        return version == .one ? .v1 : .production
    }
}
