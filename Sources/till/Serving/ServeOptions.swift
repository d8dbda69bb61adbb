import ArgumentParser

// The settings of `till serve`. The name of a property is the key in the configuration file, and gives the flag and the
// environment variable their names.

/// The options of a server that are used most.
struct StartOptions: ParsableArguments {
    @Flag(help: "Creates the demo app with customers and past purchases, if it does not exist.")
    var demo = false
    @Option(
        help: "The data directory, with database, certificates and keys (default ./till-data).",
        completion: .directory
    )
    var data: String?
    @Flag(help: "Keeps all data in memory, and deletes it when the server stops.")
    var ephemeral = false
    @Option(help: "The port of the production environment (default 8888; 0 lets the system choose).")
    var productionPort: Int?
    @Option(help: "The port of the sandbox environment (default 8889).")
    var sandboxPort: Int?
    @Option(help: "The port of the control API (default 8890).")
    var controlPort: Int?
    @Option(
        help: """
            till (default); apple, which turns off every difference from Apple's behavior; or operator, which turns \
            on --production-guard, for a store that sells for real.
            """
    )
    var profile: String?
    @Option(help: "A JSON file with any of these settings.", completion: .file())
    var config: String?
    @Option(help: "A file to which the server writes its ports as JSON once it is ready.", completion: .file())
    var readyFile: String?
    @Option(help: "The log level: trace, debug, info, notice (default), warning or error.")
    var logLevel: String?
    @Option(help: "The format of log lines: text (default), or json for one JSON object a line.")
    var logFormat: String?
    @Flag(help: "Prints the ports and files as JSON once the server is ready.")
    var json = false
}

/// The options for addresses, names and limits of a server.
struct AddressOptions: ParsableArguments {
    @Option(help: "The listen address of both environments (default 127.0.0.1).")
    var host: String?
    @Option(help: "The listen address of the control API (default 127.0.0.1).")
    var controlAddress: String?
    @Option(help: "An additional host name for the control API; may be repeated.")
    var controlHost: [String] = []
    @Option(help: "The address of a documentation site, which the console links to (default: none).")
    var documentationUrl: String?
    @Option(help: "The OCSP URL in new certificates (default: /ocsp on the production port).")
    var ocspUrl: String?
    @Option(help: "Seconds within which a request must arrive completely (default 60).")
    var requestTimeout: Int?
}

/// The options for TLS under the App Store's host names (docs/operating/hosts.md).
struct SecureOptions: ParsableArguments {
    @Option(help: "The port for HTTPS, where the host name selects the environment (default: none).")
    var tlsPort: Int?
    @Option(help: "The listen address of the TLS port and the proxy (default: that of --host).")
    var tlsHost: String?
    @Option(help: "An additional host name; a name with \"sandbox\" selects the sandbox. May be repeated.")
    var tlsName: [String] = []
    @Option(help: "The port of a proxy for HTTPS_PROXY, which forwards the App Store's names to Till (default: none).")
    var proxyPort: Int?
}

/// The options for several servers on one database (docs/operating/scale.md).
struct NodeOptions: ParsableArguments {
    @Option(help: "A PostgreSQL database (postgres://…) instead of SQLite. Prefer TILL_DATABASE: all users see flags.")
    var database: String?
    @Option(help: "The name of this server among those that share a database (default: its host and data directory).")
    var nodeName: String?
    @Option(help: "Seconds until other servers take over the work of a server that is not reachable (default 10).")
    var lease: Int?
    @Option(help: "Seconds for which a stopping server still answers requests; /readyz then answers 503 (default 0).")
    var drain: Int?
    @Option(help: "true or false (default): the root of this data directory replaces the root of the database.")
    var adoptRoot: Bool?
}

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
    @Option(help: "true or false: include successful requests in the request log (default: true with --demo only).")
    var requestLogAll: Bool?
    @Option(help: "true or false (default): include bodies in the request log, with secrets removed.")
    var requestLogBodies: Bool?
    @Option(help: "true or false: log each request, or none (default: with --log-level info or lower).")
    var accessLog: Bool?
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
    @Option(
        help: "A PEM file with a certificate authority to trust when sending notifications; may be repeated.",
        completion: .file()
    )
    var deliveryRoot: [String] = []
    @Option(help: "Where endpoints may be: default, public-https, or a network such as 10.0.0.0/8; may be repeated.")
    var endpointNetworks: [String] = []
}
