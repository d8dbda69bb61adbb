import ArgumentParser

/// The options of a server that are used most.
struct StartOptions: ParsableArguments {
    @Flag(help: "Creates the demo app with customers and past purchases, if it does not exist.")
    var demo = false
    @Option(help: "The data directory, with database, certificates and keys (default ./till-data).")
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
    @Option(help: "A JSON file with any of these settings.")
    var config: String?
    @Option(help: "A file to which the server writes its ports as JSON once it is ready.")
    var readyFile: String?
    @Option(help: "The log level: trace, debug, info, notice (default), warning or error.")
    var logLevel: String?
    @Flag(help: "Prints the ports and files as JSON once the server is ready.")
    var json = false
}
