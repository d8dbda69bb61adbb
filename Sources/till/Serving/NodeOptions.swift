import ArgumentParser
import TillRuntime

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

    /// How long a stopping server still answers requests.
    func drainTime(_ source: SettingsSource) throws -> Duration {
        .seconds(try source.number(drain, "drain", default: 0, in: 0...300))
    }

    /// The settings of this server as one of several servers on a database.
    func configuration(_ source: SettingsSource) throws -> NodeConfiguration {
        var node = NodeConfiguration()
        node.name = source.text(nodeName, "nodeName")
        node.lease = .seconds(try source.number(lease, "lease", default: 10, in: 2...600))
        node.adoptsRoot = try source.choice(adoptRoot, "adoptRoot") == true
        return node
    }
}
