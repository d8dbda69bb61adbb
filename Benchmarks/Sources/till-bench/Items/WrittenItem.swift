import Foundation

/// Counts the rows and the pages that operations write to SQLite. Purchases are committed one by one; deliveries, and
/// the renewals of one advance, share their commits. `WrittenRowsTests` has the bounds.
struct WrittenItem {
    private let bench: Workbench
    private static let customers = 100
    /// The tables whose rows are counted. The documents of an advance are not rows of a renewal.
    private static let tables = ["accounts", "ledger", "redemptions", "outbox", "deliveries", "audit"]

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        var series = Series()
        for hasEndpoint in [false, true] {
            // Counting rows writes pages, too, so each is counted on a server of its own.
            for unit in ["rows", "pages"] { try await count(unit, hasEndpoint, &series) }
        }
        return series
    }

    private func count(_ unit: String, _ hasEndpoint: Bool, _ series: inout Series) async throws {
        let receiver = try Receiver(bench)
        defer { receiver.program.stop() }
        let folder = bench.place("written")
        let server = try await TillServer(bench, on: folder, place: .anywhere, ["--delivery-timeout", "300"])
        defer { server.stop() }
        _ = try await server.control.setUp()
        try await server.control.put("\(Control.scope)/clock", ["mode": "frozen"])
        try await server.control.buy("coins", byEachOf: Self.customers)
        if hasEndpoint { try await server.control.put("\(Control.scope)/endpoints/primary", ["url": receiver.url]) }
        let file = try SQLiteFile("\(folder)/till.sqlite")
        try file.run("PRAGMA busy_timeout = 10000")
        if unit == "rows" { try file.run(Self.triggers) }

        func note(_ name: String, _ body: () async throws -> Void) async throws {
            try file.run(unit == "rows" ? "UPDATE written SET number = 0" : "PRAGMA wal_checkpoint(TRUNCATE)")
            try await body()
            let total =
                unit == "rows"
                ? Double(try file.integers("SELECT number FROM written")[0])
                : try Self.pages(of: "\(folder)/till.sqlite")
            series.note("\(unit) of a \(name)", unit, total / Double(Self.customers))
        }
        let suffix = hasEndpoint ? ", one endpoint" : ", no endpoint"
        try await receiver.close()
        try await note("purchase\(suffix)") {
            for number in 0..<Self.customers { try await server.control.buy("pro", by: "customer-\(number)") }
        }
        if hasEndpoint {
            try await note("delivery") {
                try await receiver.open()
                while try file.integers("SELECT count(*) FROM deliveries WHERE due IS NOT NULL")[0] > 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            try await receiver.close()
        }
        try await note("renewal\(suffix)") {
            try await server.control.post("\(Control.scope)/clock/advance", ["by": "P1M"])
        }
        try await receiver.open()
    }

    /// The pages in the write-ahead log, which has a header of 32 bytes, and one of 24 for each page.
    private static func pages(of database: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(database)-wal")
        let size = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        return (size - 32) / (24 + 8_192)
    }

    private static let triggers =
        "CREATE TABLE written (number INTEGER); INSERT INTO written VALUES (0);"
        + tables.flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { event in
                "CREATE TRIGGER written_\(table)_\(event) AFTER \(event) ON \(table) "
                    + "BEGIN UPDATE written SET number = number + 1; END;"
            }
        }.joined()
}
