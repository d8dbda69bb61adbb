import ArgumentParser
import TillCore
import TillShop

/// How the shop behaves where there is a choice (docs/operating/settings.md).
struct ShopChoices: ParsableArguments {
    @Option(help: "How long a month is in the sandbox: calendar (default), sandbox-5-minutes, xcode-13…")
    var sandboxRate: String?
    @Option(help: "Renewals after which a sandbox subscription turns itself off (default 0, without end).")
    var sandboxRenewalCap: Int?
    @Option(help: "true (default) or false: try again in the sandbox what did not arrive.")
    var retriesInSandbox: Bool?
    @Option(help: "true (default) or false: let the 31st come back after a shorter month.")
    var keepsAnchorDay: Bool?
    @Option(help: "true (default) or false: go on saying when a grace period ended.")
    var keepsGraceDate: Bool?
    @Option(help: "true (default) or false: sell plans billed monthly in the USA and Singapore too.")
    var commitmentsEverywhere: Bool?
    @Option(help: "true (default) or false: extend the first paid period of a subscription too.")
    var extendsFirstPeriod: Bool?
    @Option(help: "true (default) or false: notify family members of what Apple does not list for them, too.")
    var extraFamilyNotifications: Bool?
    @Option(help: "Minutes from a customer's request for a refund to the decision (default 720).")
    var refundWindowMinutes: Int?
    @Option(help: "A storefront whose law asks for consent to every price increase; may be repeated.")
    var storefrontAskingConsent: [String] = []
    @Option(help: "true or false (default): let the notification history list what was never tried.")
    var historyListsAll: Bool?
    @Option(help: "Days before the notification history's window in which a startDate is accepted (default 1).")
    var historyExtraDays: Int?
    @Option(help: "true (default) or false: send every version 1 type in the sandbox, where Apple's leaves some out.")
    var versionOneInSandbox: Bool?
    @Option(help: "true or false (default): note requests that succeed in the journal, too.")
    var journalAll: Bool?
    @Option(help: "true or false (default): keep bodies in the journal, secrets struck out.")
    var journalBodies: Bool?
    @Option(help: "true (default) or false: let control erase and replace what there is.")
    var allowReset: Bool?
    @Option(help: "Days for which notifications are kept (default 180 in production, 30 in the sandbox; 0 for ever).")
    var notificationDays: Int?
    @Option(help: "Seconds for which an unchanged transaction is not signed again (default 0, signed for each answer).")
    var signatureAge: Int?
    @Option(help: "Seconds in which a developer's server must have answered (default 10).")
    var deliveryTimeout: Int?
    @Option(help: "A PEM file of an authority that developers' servers may have; may be repeated.")
    var deliveryRoot: [String] = []
    @Option(help: "Where endpoints may lead: default, public-https, or networks such as 10.0.0.0/8; may be repeated.")
    var endpointNetworks: [String] = []

    func apply(to settings: inout Settings, _ source: SettingsSource) throws {
        if let name = source.text(sandboxRate, "sandboxRate") {
            guard let rate = RenewalRate(name: name) else {
                let known = RenewalRate.all.map(\.name).joined(separator: ", ")
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
            throw ValidationError("\(code) is not a storefront; give three capital letters such as KOR.")
        }
        let networks = source.texts(endpointNetworks, "endpointNetworks")
        guard let allowed = EndpointNetworks(networks) else {
            throw CommandRefused(
                "endpointNetworks is \(networks.joined(separator: ", ").prefix(256)); give "
                    + "\(EndpointNetworks.standardName) or \(EndpointNetworks.publicHTTPSName), and networks such as "
                    + "10.0.0.0/8 or fd00::/8, whose addresses have no bits beyond their length."
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
        settings.journalAll = try source.choice(journalAll, "journalAll") ?? settings.journalAll
        settings.journalBodies = try source.choice(journalBodies, "journalBodies") ?? settings.journalBodies
        settings.historyListsAll = try source.choice(historyListsAll, "historyListsAll") ?? settings.historyListsAll
    }
}
