import TillCore

/// The server's settings. Many of them choose between Till's and Apple's behavior, or between two behaviors where
/// Apple's is unknown (docs/operating/settings.md).
package struct Settings: Equatable, Sendable {
    /// Whether Look Up Order ID also finds orders in the sandbox. Apple's sandbox does not.
    package var orderLookupInSandbox = true
    /// Whether setting a transaction's app account token moves the transaction to the end of the history.
    package var tokenChangeMovesHistory = true
    /// The maximum number of entries in the request log.
    package var requestLogLength = 10_000
    /// Whether the request log also contains successful requests.
    package var requestLogAll = false
    /// Whether the request log contains the bodies of requests and responses, with secrets redacted.
    package var requestLogBodies = false
    /// Whether the log has a line for each request; nil if the log level decides.
    package var accessLog: Bool?
    /// The subscription renewal rate in the sandbox, for apps without a rate of their own.
    package var sandboxRate = RenewalRate.calendar
    /// The number of renewals after which auto-renew is turned off in the sandbox; 0 for no limit.
    package var sandboxRenewalCap = 0
    /// Whether failed deliveries are retried in the sandbox, as in production.
    package var retriesInSandbox = true
    /// Whether a subscription that renews on the 31st returns to the 31st after a shorter month.
    package var keepsAnchorDay = true
    /// Whether the renewal info still contains `gracePeriodExpiresDate` after the grace period has ended.
    package var keepsGraceDate = true
    /// Whether plans with a 12-month commitment and monthly billing are also sold in the United States and Singapore.
    package var commitmentsEverywhere = true
    /// Whether a renewal date can already be extended in the first paid period. Apple requires an earlier paid period.
    package var extendsFirstPeriod = true
    /// Whether Till also sends notifications about family members for reversed refunds, extensions and the end of a
    /// grace period. Apple's documentation mentions no notifications about family members in these cases.
    package var extraFamilyNotifications = true
    /// The time from a customer's refund request to the decision, in minutes.
    package var refundWindowMinutes = 720
    /// The storefronts in which customers must consent to every price increase, as three-letter country codes.
    package var storefrontsAskingConsent: [String] = []
    /// Whether the notification history also contains notifications without a delivery attempt.
    package var historyListsAll = false
    /// The number of days by which a start date may precede the range of the notification history. The results still
    /// begin with that range. With 0, a client that requests exactly the full range fails, because time passes before
    /// the request arrives.
    package var historyExtraDays = 1
    /// Whether the sandbox sends all version 1 notification types. Apple's sandbox omits some types.
    package var versionOneInSandbox = true
    /// The number of days for which notifications are kept. 0 keeps them forever; nil keeps them as long as Apple's
    /// notification history in the same environment.
    package var notificationDays: Int?
    /// The number of days for which records of the audit log are kept; 0 keeps them forever.
    package var auditDays = 90
    /// Whether the audit log also records operations that only read.
    package var auditReads = false
    /// The timeout of a delivery attempt in seconds.
    package var deliveryTimeout = 10
    /// The simulated time in seconds for which the signature of an unchanged transaction is reused; 0 signs every
    /// response.
    package var signatureAge = 0
    /// Whether the control API allows reset, restore and import.
    package var allowReset = true
    /// Whether the production clock stays in real time, and data is erased or replaced only with a confirmation.
    package var productionGuard = false
    /// PEM files with certificate authorities that Till trusts for endpoints, in addition to the system's authorities.
    package var deliveryRoots: [String] = []
    /// The address of a documentation site, without a slash at the end, to which the console links; nil for none.
    package var documentation: String?
    /// The networks to which notifications may be sent.
    package var endpointNetworks = EndpointNetworks()

    /// Creates settings with Till's defaults.
    package init(
        orderLookupInSandbox: Bool = true,
        tokenChangeMovesHistory: Bool = true,
        requestLogLength: Int = 10_000
    ) {
        self.orderLookupInSandbox = orderLookupInSandbox
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        self.requestLogLength = requestLogLength
    }

    /// Settings that match Apple's behavior as far as it is known.
    package static let apple: Settings = {
        var settings = Settings(orderLookupInSandbox: false)
        settings.sandboxRate = .sandbox5Minutes
        settings.sandboxRenewalCap = 12
        settings.retriesInSandbox = false
        settings.commitmentsEverywhere = false
        settings.extendsFirstPeriod = false
        settings.extraFamilyNotifications = false
        settings.versionOneInSandbox = false
        settings.historyExtraDays = 0
        return settings
    }()

    /// Settings for a store that sells for real.
    package static let `operator`: Settings = {
        var settings = Settings()
        settings.productionGuard = true
        return settings
    }()

    /// The retry schedule for notifications of a version in an environment.
    package func schedule(of version: NotificationVersion, in environment: StoreEnvironment) -> RetrySchedule {
        if environment == .sandbox, !retriesInSandbox { return .single }
        return version == .one ? .v1 : .production
    }
}
