import ArgumentParser

/// The options for addresses, names and limits of a server.
struct AddressOptions: ParsableArguments {
    @Option(help: "The listen address of both environments (default 127.0.0.1).")
    var host: String?
    @Option(help: "The listen address of the control API (default 127.0.0.1).")
    var controlAddress: String?
    @Option(help: "An additional host name for the control API; may be repeated.")
    var controlHost: [String] = []
    @Option(help: "The OCSP URL in new certificates (default: /ocsp on the production port).")
    var ocspUrl: String?
    @Option(help: "Seconds within which a request must arrive completely (default 60).")
    var requestTimeout: Int?
}
