import Foundation

/// Measures purchases through the control API, which are acknowledged when they are durable. They are compared with
/// plain commits of the same engine. No process is bound to a core, because commits wait for the disk.
struct PurchasesItem {
    private let bench: Workbench
    private static let clients = 64
    private static let customers = 10_000
    /// The rows of a grouped commit, about as many as in one of Till's commits.
    private static let group = 32

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        var series = Series()
        try await measureSQLite(&series)
        try await measurePostgres(&series)
        return series
    }

    private func measureSQLite(_ series: inout Series) async throws {
        let server = try await TillServer(bench, on: bench.place("purchases"), place: .anywhere)
        defer { server.stop() }
        _ = try await server.control.setUp()
        let file = bench.place("bare.sqlite")
        for _ in 0..<bench.scale.rounds {
            let purchases = try load(server)
            let single = try bench.limit(["commits", file, "--time", time], on: .anywhere)
            let grouped = try bench.limit(["commits", file, "--rows", "\(Self.group)", "--time", time], on: .anywhere)
            note("SQLite", purchases, single, grouped, &series)
        }
    }

    private func measurePostgres(_ series: inout Series) async throws {
        let postgres = try bench.postgres()
        try postgres.move(to: .anywhere)
        let url = try postgres.database()
        let server = try await TillServer(bench, on: bench.place("purchases"), database: url, place: .anywhere)
        defer { server.stop() }
        _ = try await server.control.setUp()
        let bare = try postgres.database()
        try postgres.run("CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)", in: bare)
        let script = bench.place("bare.sql")
        func commits(_ rows: Int, _ clients: Int) throws -> Double {
            try postgres.commits(rows: rows, clients: clients, seconds: bench.scale.seconds, script: script, in: bare)
        }
        for _ in 0..<bench.scale.rounds {
            let purchases = try load(server)
            // Till has the same number of connections.
            let single = try commits(1, 8)
            let grouped = try commits(Self.group, 8)
            note("PostgreSQL", purchases, single, grouped, &series)
        }
    }

    private var time: String { "\(bench.scale.seconds)" }

    private func load(_ server: TillServer) throws -> Load {
        try Load(
            bench,
            try Load.Script(bench, purchasesOf: "coins", by: Self.customers),
            of: server.control.address,
            by: server.program,
            connections: Self.clients,
            on: .anywhere,
            seconds: bench.scale.seconds * 2
        )
    }

    private func note(
        _ engine: String,
        _ purchases: Load,
        _ single: Double,
        _ grouped: Double,
        _ series: inout Series
    ) {
        series.note("\(engine), purchases", purchases)
        series.note("\(engine), bare: commits of one row", "1/s", single)
        series.note("\(engine), bare: rows in commits of \(Self.group)", "1/s", grouped)
        series.ratio("\(engine): purchases : bare commits of one row", purchases.rate / single)
        series.ratio("\(engine): purchases : rows in grouped commits", purchases.rate / grouped, .atLeast(0.10))
    }
}
