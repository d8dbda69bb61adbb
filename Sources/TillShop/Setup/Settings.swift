import TillCore

/// The named departures from Apple's behavior and the choices where it is not known (docs/operating/settings.md).
package struct Settings: Equatable, Sendable {
    /// Answer Look Up Order ID in the sandbox too; Apple's sandbox does not.
    package var orderLookupInSandbox = true
    /// Move a transaction to the end of the history when its app account token is set.
    package var tokenChangeMovesHistory = true
    /// Entries that the request log keeps.
    package var journalLength = 10_000
    /// Log successful requests, too.
    package var journalAll = false
    /// Log the bodies of requests, with secrets redacted.
    package var journalBodies = false
    /// The subscription renewal rate of the sandbox, unless an app has its own.
    package var sandboxRate = RenewalRate.calendar
    /// Turn renewal off after this many renewals in the sandbox; 0 is never.
    package var sandboxRenewalCap = 0
    /// Retry failed deliveries in the sandbox, as in production.
    package var retriesInSandbox = true
    /// Return to the 31st after a shorter month.
    package var keepsAnchorDay = true
    /// Keep the date of an ended grace period in the renewal info.
    package var keepsGraceDate = true
    /// Sell plans with monthly billing in the United States and Singapore too.
    package var commitmentsEverywhere = true
    /// Allow extensions in the first paid period too; Apple requires an earlier paid period.
    package var extendsFirstPeriod = true
    /// Notify family members of reversed refunds, extensions and the end of a grace period. Apple's documentation does
    /// not mention notifications for members in these cases.
    package var extraFamilyNotifications = true
    /// Minutes from a customer's refund request to the decision.
    package var refundWindowMinutes = 720
    /// Storefronts (alpha-3) whose law requires consent to every price increase.
    package var storefrontsAskingConsent: [String] = []
    /// Include in the notification history also notifications without a delivery attempt.
    package var historyListsAll = false
    /// Days before the window of the notification history in which a start date is still accepted; the results still
    /// begin with the window. Without it a client that asks for exactly the window is always a moment too late.
    package var historyExtraDays = 1
    /// Send all types of version 1 in the sandbox; Apple's sandbox omits some.
    package var versionOneInSandbox = true
    /// Days for which notifications are kept; 0 is forever, nil is as long as Apple's history in the environment.
    package var notificationDays: Int?
    /// The timeout of a delivery attempt in seconds.
    package var deliveryTimeout = 10
    /// Seconds of the shop's time for which the signature of an unchanged transaction is reused; 0 signs each answer.
    package var signatureAge = 0
    /// Allow reset, restore and import through the control API.
    package var allowReset = true
    /// PEM files of certificate authorities to trust for endpoints, in addition to the system's.
    package var deliveryRoots: [String] = []
    /// The networks in which endpoints may be.
    package var endpointNetworks = EndpointNetworks()

    /// Till's defaults.
    package init(orderLookupInSandbox: Bool = true, tokenChangeMovesHistory: Bool = true, journalLength: Int = 10_000) {
        self.orderLookupInSandbox = orderLookupInSandbox
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        self.journalLength = journalLength
    }

    /// Without departures: Apple's behavior as far as it is known.
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

    /// The retry schedule of an environment.
    package func schedule(of version: NotificationVersion, in environment: StoreEnvironment) -> RetrySchedule {
        if environment == .sandbox, !retriesInSandbox { return .single }
        return version == .one ? .v1 : .production
    }
}
