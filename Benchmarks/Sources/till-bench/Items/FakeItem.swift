import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Measures the same page from a fake server as teams write it for their tests: Flask, transactions in memory,
/// signatures with PyJWT. Both servers check the token and sign each answer, and each runs on the first core.
struct FakeItem {
    private let bench: Workbench

    init(_ bench: Workbench) { self.bench = bench }

    func measure() async throws -> Series {
        guard FileManager.default.isExecutableFile(atPath: bench.python) else {
            throw BenchRefused("\(bench.python) is missing: scripts/install bench")
        }
        let ledger = try await bench.ledger(copies: 1)
        let server = try await ledger.server(copied: true)
        let key = bench.place("key.pem")
        try ledger.key.publicKey.write(toFile: key, atomically: true, encoding: .utf8)
        let ready = bench.place("ready.json")
        let log = bench.place("log")
        let program = try Program([bench.python, bench.fake + "/app.py", key, ready], on: .first, log: log)
        defer {
            program.stop()
            server.stop()
        }
        let facts = try Program.facts(in: ready, of: program, log: log)
        guard let address = facts["address"] as? String else { throw BenchRefused("the fake has no address") }
        try await check(address + ledger.pages[0], token: try ledger.key.token())

        var series = Series()
        for round in 0...bench.scale.rounds {
            let script = try ledger.script(freshTokens: 10_000)
            let fake = try Load(bench, script, of: address, by: program)
            let till = try Load(bench, script, of: server.sandbox, by: server.program)
            // The first round warms up both servers.
            guard round > 0 else { continue }
            series.note("the fake, fresh tokens", fake)
            series.note("Till, signed for each answer, fresh tokens", till)
            series.ratio("Till : the fake, times", till.rate / fake.rate)
        }
        return series
    }

    private func check(_ url: String, token: String) async throws {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = Data(try await response.body.collect(upTo: 1 << 24).readableBytesView)
        let json = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        guard (json?["signedTransactions"] as? [String])?.count == 20 else {
            throw BenchRefused("the fake answered \(response.status)")
        }
    }
}
