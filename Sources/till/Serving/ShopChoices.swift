import ArgumentParser
import TillCore
import TillShop

/// The settings that change how the store behaves (docs/operating/settings.md).
struct ShopChoices: ParsableArguments {
    @Option(help: "true (default) or false: look up orders in the sandbox too, where Apple has no such route.")
    var orderLookupInSandbox: Bool?
    @Option(help: "true (default) or false: a changed app account token moves the transaction to the history's end.")
    var tokenChangeMovesHistory: Bool?
    @Option(help: "Maximum number of requests in the request log (default 10000).")
    var requestLogLength: Int?
    @Option(help: "The subscription renewal rate of the sandbox: calendar (default), sandbox-5-minutes, xcode-13…")
    var sandboxRate: String?
    @Option(help: "The number of renewals after which a sandbox subscription stops renewing (default 0: no limit).")
    var sandboxRenewalCap: Int?
    @Option(help: "true (default) or false: retry failed notifications in the sandbox.")
    var retriesInSandbox: Bool?
    @Option(help: "true (default) or false: renew on the 31st again after a shorter month.")
    var keepsAnchorDay: Bool?
    @Option(help: "true (default) or false: keep gracePeriodExpiresDate in renewal info after the grace period.")
    var keepsGraceDate: Bool?
    @Option(help: "true (default) or false: allow monthly billing plans in the USA and Singapore too.")
    var commitmentsEverywhere: Bool?
    @Option(help: "true (default) or false: extend the first paid period of a subscription too.")
    var extendsFirstPeriod: Bool?
    @Option(help: "true (default) or false: send more notifications about family members than Apple documents.")
    var extraFamilyNotifications: Bool?
    @Option(help: "Minutes from a refund request to the decision (default 720).")
    var refundWindowMinutes: Int?
    @Option(help: "A storefront where every price increase needs consent; may be repeated.")
    var storefrontAskingConsent: [String] = []
    @Option(help: "true or false (default): include notifications without a send attempt in the notification history.")
    var historyListsAll: Bool?
    @Option(help: "Days by which a startDate may be before the start of the notification history (default 1).")
    var historyExtraDays: Int?
    @Option(help: "true (default) or false: send all version 1 types in the sandbox, where Apple omits some.")
    var versionOneInSandbox: Bool?
    @Option(help: "true or false (default): include successful requests in the request log.")
    var requestLogAll: Bool?
    @Option(help: "true or false (default): include bodies in the request log, with secrets removed.")
    var requestLogBodies: Bool?
    @Option(help: "true (default) or false: let the control API erase and replace existing data.")
    var allowReset: Bool?
    @Option(
        help: "true or false (default): keep production in real time, and confirm what erases or replaces its data."
    )
    var productionGuard: Bool?
    @Option(help: "The retention period of notifications in days (default: production 180, sandbox 30; 0: forever).")
    var notificationDays: Int?
    @Option(help: "The retention period of the audit log in days (default 90; 0: forever).")
    var auditDays: Int?
    @Option(help: "true or false (default): include calls that only read in the audit log.")
    var auditReads: Bool?
    @Option(help: "Seconds for which the server reuses the signature of an unchanged transaction (default 0: never).")
    var signatureAge: Int?
    @Option(help: "Seconds within which a developer's server must answer (default 10).")
    var deliveryTimeout: Int?
    @Option(help: "A PEM file with a certificate authority to trust when sending notifications; may be repeated.")
    var deliveryRoot: [String] = []
    @Option(help: "Where endpoints may be: default, public-https, or a network such as 10.0.0.0/8; may be repeated.")
    var endpointNetworks: [String] = []

    func apply(to settings: inout Settings, _ source: SettingsSource) throws {
        if let name = source.text(sandboxRate, "sandboxRate") {
            guard let rate = RenewalRate(rawValue: name) else {
                let known = RenewalRate.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no rate \(name). Rates: \(known).")
            }
            settings.sandboxRate = rate
        }
        settings.sandboxRenewalCap = try source.number(
            sandboxRenewalCap,
            "sandboxRenewalCap",
            default: settings.sandboxRenewalCap,
            in: 0...1_000_000
        )
        settings.refundWindowMinutes = try source.number(
            refundWindowMinutes,
            "refundWindowMinutes",
            default: settings.refundWindowMinutes,
            in: 0...525_600
        )
        settings.historyExtraDays = try source.number(
            historyExtraDays,
            "historyExtraDays",
            default: settings.historyExtraDays,
            in: 0...365
        )
        settings.auditDays = try source.number(auditDays, "auditDays", in: 0...36_500) ?? settings.auditDays
        settings.auditReads = try source.choice(auditReads, "auditReads") ?? settings.auditReads
        settings.notificationDays = try source.number(notificationDays, "notificationDays", in: 0...36_500)
        settings.signatureAge = try source.number(
            signatureAge,
            "signatureAge",
            default: settings.signatureAge,
            in: 0...31_536_000
        )
        settings.deliveryTimeout = try source.number(
            deliveryTimeout,
            "deliveryTimeout",
            default: settings.deliveryTimeout,
            in: 1...300
        )
        settings.storefrontsAskingConsent = source.texts(storefrontAskingConsent, "storefrontAskingConsent")
        for code in settings.storefrontsAskingConsent where Storefront(code: code) == nil {
            throw ValidationError("\(code) is not a storefront. Give three capital letters such as KOR.")
        }
        let networks = source.texts(endpointNetworks, "endpointNetworks")
        guard let allowed = EndpointNetworks(networks) else {
            throw CommandRefused(
                "endpointNetworks is \(networks.joined(separator: ", ").prefix(256)). Give "
                    + "\(EndpointNetworks.standardName) or \(EndpointNetworks.publicHTTPSName), and networks such as "
                    + "10.0.0.0/8 or fd00::/8, without address bits beyond the prefix length."
            )
        }
        settings.endpointNetworks = allowed
        settings.deliveryRoots = source.texts(deliveryRoot, "deliveryRoot")
        settings.retriesInSandbox =
            try source.choice(retriesInSandbox, "retriesInSandbox") ?? settings.retriesInSandbox
        settings.keepsAnchorDay = try source.choice(keepsAnchorDay, "keepsAnchorDay") ?? settings.keepsAnchorDay
        settings.keepsGraceDate = try source.choice(keepsGraceDate, "keepsGraceDate") ?? settings.keepsGraceDate
        settings.commitmentsEverywhere =
            try source.choice(commitmentsEverywhere, "commitmentsEverywhere") ?? settings.commitmentsEverywhere
        settings.extendsFirstPeriod =
            try source.choice(extendsFirstPeriod, "extendsFirstPeriod") ?? settings.extendsFirstPeriod
        settings.extraFamilyNotifications =
            try source.choice(extraFamilyNotifications, "extraFamilyNotifications") ?? settings.extraFamilyNotifications
        settings.versionOneInSandbox =
            try source.choice(versionOneInSandbox, "versionOneInSandbox") ?? settings.versionOneInSandbox
        settings.allowReset = try source.choice(allowReset, "allowReset") ?? settings.allowReset
        if let said = try source.choice(productionGuard, "productionGuard") {
            guard said || settings.allowReset else {
                throw CommandRefused(
                    "productionGuard is false, but a server with allowReset false always guards production. Leave "
                        + "productionGuard out, or set allowReset to true."
                )
            }
            settings.productionGuard = said
        }
        settings.requestLogAll = try source.choice(requestLogAll, "requestLogAll") ?? settings.requestLogAll
        settings.requestLogBodies = try source.choice(requestLogBodies, "requestLogBodies") ?? settings.requestLogBodies
        settings.historyListsAll = try source.choice(historyListsAll, "historyListsAll") ?? settings.historyListsAll
    }
}
