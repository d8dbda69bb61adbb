import Foundation

/// Measures purchases through the control API, which are acknowledged when they are durable. Each makes a notification
/// for an endpoint that does not answer during the measurement. No process is bound to a core, because commits wait for
/// the disk.
struct PurchasesItem {
    private let bench: Workbench
    private static let clients = 64
    private static let customers = 10_000
    /// The purchases of a grouped commit, about as many as in one of Till's commits, and the rows of a purchase
    /// (`written`).
    private static let group = 32
    private static let rows = 5

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        var series = Series()
        let receiver = try Receiver(bench)
        defer { receiver.program.stop() }
        try await receiver.close()
        try await measureSQLite(receiver, &series)
        try await measurePostgres(receiver, &series)
        return series
    }

    private func measureSQLite(_ receiver: Receiver, _ series: inout Series) async throws {
        let server = try await TillServer(bench, on: bench.place("purchases"), place: .anywhere, Self.patience)
        defer { server.stop() }
        let bare = try await setUp(server, receiver)
        defer { bare.program.stop() }
        let file = bench.place("bare.sqlite")
        for _ in 0..<bench.scale.rounds {
            try note("SQLite", server, bare, &series) { rows in
                try bench.limit(["commits", file, "--rows", "\(rows)", "--time", time], on: .anywhere)
            }
        }
    }

    private func measurePostgres(_ receiver: Receiver, _ series: inout Series) async throws {
        let postgres = try bench.postgres()
        try postgres.move(to: .anywhere)
        let url = try postgres.database()
        let place = bench.place("purchases")
        let server = try await TillServer(bench, on: place, database: url, place: .anywhere, Self.patience)
        defer { server.stop() }
        let answers = try await setUp(server, receiver)
        defer { answers.program.stop() }
        let bare = try postgres.database()
        try postgres.run("CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)", in: bare)
        let script = bench.place("bare.sql")
        for _ in 0..<bench.scale.rounds {
            try note("PostgreSQL", server, answers, &series) { rows in
                // Till has the same number of connections.
                try postgres.commits(rows: rows, clients: 8, seconds: bench.scale.seconds, script: script, in: bare)
            }
        }
    }

    private var time: String { "\(bench.scale.seconds)" }

    /// No attempt may time out while the receiver's gate is closed.
    private static let patience = ["--delivery-timeout", "300"]

    /// Creates the shop, and starts a server that answers posts with the answer of a purchase.
    private func setUp(_ server: TillServer, _ receiver: Receiver) async throws -> (program: Program, address: String) {
        _ = try await server.control.setUp()
        try await server.control.put("\(Control.scope)/endpoints/primary", ["url": receiver.url])
        let path = "\(Control.scope)/customers/first/purchases"
        let answer = try await server.control.post(path, ["productId": "coins"])
        let bytes = try JSONSerialization.data(withJSONObject: answer)
        return try ServeBytes.start(bench, answering: Array(bytes), on: .anywhere)
    }

    private func load(_ address: String, _ program: Program) throws -> Load {
        try Load(
            bench,
            try Load.Script(bench, purchasesOf: "coins", by: Self.customers),
            of: address,
            by: program,
            connections: Self.clients,
            on: .anywhere,
            seconds: bench.scale.seconds * 2
        )
    }

    private func note(
        _ engine: String,
        _ server: TillServer,
        _ bare: (program: Program, address: String),
        _ series: inout Series,
        commits: (_ rows: Int) throws -> Double
    ) throws {
        let purchases = try load(server.control.address, server.program)
        let posts = try load(bare.address, bare.program)
        let signatures = try bench.signatures(threads: ProcessInfo.processInfo.activeProcessorCount)
        let single = try commits(1)
        let grouped = try commits(Self.group * Self.rows)
        series.note("\(engine), purchases", purchases)
        series.note("\(engine), the same posts and answers by Hummingbird", posts)
        series.note("\(engine), bare: ES256 signatures, all cores", "1/s", signatures)
        series.note("\(engine), bare: commits of one row", "1/s", single)
        series.note("\(engine), bare: rows in commits of \(Self.group * Self.rows)", "1/s", grouped)
        let parts = Parts().adding("post", at: posts.rate).adding("2 signatures", 2, at: signatures)
            .adding("\(Self.rows) rows", Double(Self.rows), at: grouped)
        // Only SQLite has a bound: in PostgreSQL the server takes part of both cores.
        if engine == "SQLite" {
            series.note("\(engine), a purchase", purchases.rate, of: parts, .atLeast(0.40, goal: 0.55))
        } else {
            series.ratio("\(engine), a purchase : its parts", purchases.rate * parts.seconds)
        }
    }
}
