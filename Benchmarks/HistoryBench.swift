import Foundation
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTesting

/// A full page of Get Transaction History from a real server, on one core, beside Hummingbird answering the same bytes
/// from memory on the same core; the load comes from wrk on another.
struct HistoryBench {
    let transactions: Int
    let rounds: Int

    /// More than the server remembers, so that each is new to it when its turn comes again.
    private static let freshTokens = 40_000

    func run() async throws -> [Figure] {
        guard let wrk = Tool.path(of: "wrk") else { throw BenchRefused("wrk is missing: apt-get install --yes wrk") }
        let test = try await TestShop(selling: SampleProducts.all, now: Int64(Date().timeIntervalSince1970 * 1_000))
        let row = try await fill(test)
        let path = "/inApps/v2/history/\(row.id.number)"
        let end = JSONTree.number(String(test.now.milliseconds / 1_000 + 3_600))
        let tokens = try (0..<Self.freshTokens).map { try test.token(["nonce": .number(String($0)), "exp": end]) }
        var series = Series()
        for (name, value) in try await parts(test, row, tokens[0]) { series.note(name, "µs", value) }
        try await test.shop.storage.close()

        let scripts = try Scripts(in: test.directory.path, path: path, tokens: tokens)
        for _ in 0..<rounds {
            let kept = try Tool.till(test.directory, ["--signature-age", "86400"])
            let page = try await kept.body(of: path, token: tokens[0])
            let reused = try await kept.load(wrk, scripts.reused)
            let fresh = try await kept.load(wrk, scripts.fresh)
            kept.stop()
            let anew = try Tool.till(test.directory, ["--signature-age", "0"])
            let signed = try await anew.load(wrk, scripts.reused)
            anew.stop()
            let bare = try Tool.bytes(page, in: test.directory)
            let raw = try await bare.load(wrk, scripts.reused)
            bare.stop()
            series.note("the same bytes from Hummingbird", "1/s", raw)
            series.note("history page, signatures kept, token reused", "1/s", reused)
            series.note("history page, signatures kept, fresh tokens", "1/s", fresh)
            series.note("history page, signed for each answer", "1/s", signed)
            series.note("ratio, token reused", "", reused / raw)
            series.note("ratio, fresh tokens", "", fresh / raw)
            series.note("ratio, signed for each answer", "", signed / raw)
        }
        return series.figures
    }

    /// So many purchases of one customer; the last of them.
    private func fill(_ test: TestShop) async throws -> Transaction {
        var row = try await test.buy("coins", by: "ann")
        for _ in 1..<transactions { row = try await test.buy("coins", by: "ann") }
        return row
    }

    /// What a page is made of, each by itself.
    private func parts(_ test: TestShop, _ row: Transaction, _ token: String) async throws -> [(String, Double)] {
        let times = 2_000
        let check = try await seconds {
            for _ in 0..<times {
                let read = try BearerToken(authorization: "Bearer \(token)")
                _ = try read.verify(
                    key: test.key.publicKey,
                    issuer: test.app.issuerID,
                    now: Double(test.now.milliseconds) / 1_000
                )
            }
        }
        let read = try await seconds {
            for _ in 0..<times { _ = try await test.shop.storage.history(HistoryQuery(account: row.account)) }
        }
        let sign = try await seconds {
            for _ in 0..<times {
                _ = try test.shop.signed(row, realm: .sandbox, app: TestShop.bundleID, at: test.now)
            }
        }
        let each = 1_000_000 / Double(times)
        return [
            ("part: a token's check", check * each), ("part: a page's read", read * each),
            ("part: 20 signatures", sign * each * 20),
        ]
    }
}

/// What wrk is to ask, in its own language.
private struct Scripts {
    let reused: String
    let fresh: String

    init(in folder: String, path: String, tokens: [String]) throws {
        reused = "\(folder)/reused.lua"
        fresh = "\(folder)/fresh.lua"
        let list = "\(folder)/tokens"
        try tokens.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
        let head = "local tokens = {} for line in io.lines('\(list)') do tokens[#tokens + 1] = 'Bearer ' .. line end\n"
        let ask = "return wrk.format('GET', '\(path)', { Authorization = tokens[place] })"
        try "\(head) local place = 1 request = function() \(ask) end".write(
            toFile: reused,
            atomically: true,
            encoding: .utf8
        )
        try "\(head) local place = 0 request = function() place = place % #tokens + 1 \(ask) end".write(
            toFile: fresh,
            atomically: true,
            encoding: .utf8
        )
    }
}

extension Tool {
    /// Requests a second that a server answers well, with so many connections at once.
    fileprivate func load(_ wrk: String, _ script: String) async throws -> Double {
        let said = try Tool.output(
            ["taskset", "-c", "1", wrk, "-t", "1", "-c", "32", "-d", "5s", "-s", script, address],
        )
        guard !said.contains("Non-2xx"), !said.contains("Socket errors"),
            let line = said.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(separator: " ").last.flatMap({ Double($0) })
        else { throw BenchRefused("the load went wrong:\n\(said)") }
        return rate
    }
}
