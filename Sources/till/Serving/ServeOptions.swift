import ArgumentParser

// The settings of `till serve`. The name of a property is the key in the configuration file, and gives the flag and the
// environment variable their names.

/// The options of a server that are used most.
struct StartOptions: ParsableArguments {
    @Flag(help: "Creates the demo app with customers and past purchases, if it does not exist.")
    var demo = false
    @Option(
        help: "The data directory, with database, certificates and keys (default: ./till-data).",
        completion: .directory
    )
    var data: String?
    @Flag(
        help: """
            Keeps all data in memory, and deletes it when the server stops. Cannot be combined with --data or \
            --database; the flag overrides TILL_DATA.
            """
    )
    var ephemeral = false
    @Option(help: "The port of the production environment; with 0, the system chooses a free port (default: 8888).")
    var productionPort: Int?
    @Option(help: "The port of the sandbox environment; with 0, the system chooses a free port (default: 8889).")
    var sandboxPort: Int?
    @Option(help: "The port of the control API; with 0, the system chooses a free port (default: 8890).")
    var controlPort: Int?
    @Option(
        help: """
            till; apple, which turns off every difference from Apple's behavior; or operator, which turns on \
            --production-guard, for a store that sells for real (default: till).
            """
    )
    var profile: String?
    @Option(help: "A JSON file with any of these settings.", completion: .file())
    var config: String?
    @Option(
        help: """
            A file to which the server writes its ports as JSON when all of them are open. The server removes the \
            file at the start.
            """,
        completion: .file()
    )
    var readyFile: String?
    @Option(help: "The log level: trace, debug, info, notice, warning or error (default: notice).")
    var logLevel: String?
    @Option(help: "The format of log lines: text, or json for one JSON object a line (default: text).")
    var logFormat: String?
    @Flag(help: "Prints the ports and files as JSON once the server is ready.")
    var json = false
}

/// The options for addresses, names and limits of a server.
struct AddressOptions: ParsableArguments {
    @Option(help: "The IP address on which both environments listen (default: 127.0.0.1).")
    var host: String?
    @Option(
        help: """
            The IP address on which the control API listens. Other addresses than loopback require a token (default: \
            127.0.0.1).
            """
    )
    var controlAddress: String?
    @Option(help: "An additional host name for the control API; may be repeated.")
    var controlHost: [String] = []
    @Option(help: "The address of a documentation site, which the console links to (default: none).")
    var documentationUrl: String?
    @Option(
        help: """
            The OCSP URL in new certificates; requests to it must reach /ocsp of Till (default: /ocsp of the \
            production port, http://localhost:8888/ocsp).
            """
    )
    var ocspUrl: String?
    @Option(
        help: """
            Seconds within which a request must arrive completely; of an import, each part of the body (default: \
            60).
            """
    )
    var requestTimeout: Int?
}

/// The options for TLS under the App Store's host names (docs/operating/hosts.md).
struct SecureOptions: ParsableArguments {
    @Option(
        help: """
            The port for HTTPS, where the host name selects the environment; with 0, the system chooses a free port.
            """
    )
    var tlsPort: Int?
    @Option(help: "The IP address on which the TLS port and the proxy listen (default: the value of --host).")
    var tlsHost: String?
    @Option(
        help: """
            An additional name in the TLS certificate; a name that contains "sandbox" selects the sandbox. May be \
            repeated.
            """
    )
    var tlsName: [String] = []
    @Option(
        help: "The port of a proxy for HTTPS_PROXY, which forwards requests for the App Store's names to the TLS port."
    )
    var proxyPort: Int?
}

/// The options for several servers on one database (docs/operating/scale.md).
struct NodeOptions: ParsableArguments {
    @Option(
        help: """
            A PostgreSQL database (postgres://…) instead of SQLite; never logged. Prefer TILL_DATABASE: all users \
            see flags.
            """
    )
    var database: String?
    @Option(help: "The name of this server among those that share a database (default: host and data folder).")
    var nodeName: String?
    @Option(
        help: "Seconds until other servers take over the work of a server that disappeared, 2 to 600 (default: 10)."
    )
    var lease: Int?
    @Option(
        help: """
            Seconds for which a server still answers requests after SIGTERM, while /readyz answers 503, 0 to 300 \
            (default: 0).
            """
    )
    var drain: Int?
    @Option(
        help: """
            true or false: the root of this data directory, or a new one, replaces the root of the database \
            (default: false).
            """
    )
    var adoptRoot: Bool?
}

/// The settings that change how the store behaves (docs/operating/settings.md).
struct ShopChoices: ParsableArguments {
    @Option(
        help: """
            true or false: look up orders in the sandbox too, where Apple has no such route (default: true; with \
            --profile apple: false).
            """
    )
    var orderLookupInSandbox: Bool?
    @Option(
        help: "true or false: a changed app account token moves the transaction to the history's end (default: true)."
    )
    var tokenChangeMovesHistory: Bool?
    @Option(help: "Maximum number of requests in the request log (default: 10000).")
    var requestLogLength: Int?
    @Option(
        help: """
            The subscription renewal rate of the sandbox: calendar, sandbox-5-minutes, xcode-13… (default: calendar; \
            with --profile apple: sandbox-5-minutes).
            """
    )
    var sandboxRate: String?
    @Option(
        help: """
            The number of renewals after which a sandbox subscription stops renewing; 0 means no limit (default: 0; \
            with --profile apple: 12).
            """
    )
    var sandboxRenewalCap: Int?
    @Option(
        help: "true or false: retry failed notifications in the sandbox (default: true; with --profile apple: false)."
    )
    var retriesInSandbox: Bool?
    @Option(help: "true or false: renew on the 31st again after a shorter month (default: true).")
    var keepsAnchorDay: Bool?
    @Option(help: "true or false: keep gracePeriodExpiresDate in renewal info after the grace period (default: true).")
    var keepsGraceDate: Bool?
    @Option(
        help: """
            true or false: allow monthly billing plans in the USA and Singapore too (default: true; with --profile \
            apple: false).
            """
    )
    var commitmentsEverywhere: Bool?
    @Option(
        help: """
            true or false: extend the first paid period of a subscription too (default: true; with --profile apple: \
            false).
            """
    )
    var extendsFirstPeriod: Bool?
    @Option(
        help: """
            true or false: send more notifications about family members than Apple documents (default: true; with \
            --profile apple: false).
            """
    )
    var extraFamilyNotifications: Bool?
    @Option(help: "Minutes from a refund request to the decision (default: 720).")
    var refundWindowMinutes: Int?
    @Option(help: "A storefront whose law asks for consent to every price increase; may be repeated.")
    var storefrontAskingConsent: [String] = []
    @Option(
        help: """
            true or false: include notifications without a send attempt in the notification history (default: \
            false).
            """
    )
    var historyListsAll: Bool?
    @Option(
        help: """
            Days by which a startDate may be before the start of the notification history, 0 to 365 (default: 1; \
            with --profile apple: 0).
            """
    )
    var historyExtraDays: Int?
    @Option(
        help: """
            true or false: send all version 1 types in the sandbox, where Apple omits some (default: true; with \
            --profile apple: false).
            """
    )
    var versionOneInSandbox: Bool?
    @Option(help: "true or false: include successful requests in the request log; on with --demo (default: false).")
    var requestLogAll: Bool?
    @Option(help: "true or false: include bodies in the request log, with secrets removed (default: false).")
    var requestLogBodies: Bool?
    @Option(help: "true or false: log each request, or none (default: true with --log-level info or lower).")
    var accessLog: Bool?
    @Option(
        help: """
            true or false: let the control API erase and replace existing data. Use false for a real store (default: \
            true).
            """
    )
    var allowReset: Bool?
    @Option(
        help: """
            true or false: keep production in real time, and confirm what erases or replaces its data. Always on \
            with --allow-reset false (default: false; with --profile operator: true).
            """
    )
    var productionGuard: Bool?
    @Option(
        help: """
            The retention period of notifications in days; 0 keeps them forever (default: 180 in production, 30 in \
            the sandbox).
            """
    )
    var notificationDays: Int?
    @Option(help: "The retention period of the audit log in days; 0 keeps it forever (default: 90).")
    var auditDays: Int?
    @Option(help: "true or false: include calls that only read in the audit log (default: false).")
    var auditReads: Bool?
    @Option(
        help: """
            Seconds, on the shop's clock, for which the server reuses the signature of an unchanged transaction; 0 \
            signs again for each answer (default: 0).
            """
    )
    var signatureAge: Int?
    @Option(help: "Seconds within which a developer's server must answer (default: 10).")
    var deliveryTimeout: Int?
    @Option(
        help: "A PEM file with a certificate authority to trust when sending notifications; may be repeated.",
        completion: .file()
    )
    var deliveryRoot: [String] = []
    @Option(
        help: """
            Where endpoints may be: default, public-https, or a network such as 10.0.0.0/8; may be repeated \
            (default: default).
            """
    )
    var endpointNetworks: [String] = []
}
