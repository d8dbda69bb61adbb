import ArgumentParser
import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import NIOCore
import NIOHTTP1

/// Measures one limit of the machine, per second. It runs in a separate process, so that it can use the same core as
/// Till.
struct Limit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures one limit of the machine and prints it, as a number per second.",
        shouldDisplay: false,
        subcommands: [
            Signatures.self, Verifications.self, RSASignatures.self, PageReads.self, Commits.self, Posts.self,
        ]
    )

    /// The number of calls of `body` per second, measured for about one second.
    static func rate(for time: Double = 1, of body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while true {
            for _ in 0..<16 { try body() }
            count += 16
            let elapsed = (clock.now - start) / .seconds(1)
            if elapsed >= time { return Double(count) / elapsed }
        }
    }

    static let digest = SHA256.hash(data: Data(repeating: 7, count: 1_024))

    struct Signatures: AsyncParsableCommand {
        @Option var threads = 1

        func run() async throws {
            let total = try await withThrowingTaskGroup(of: Double.self) { group in
                for _ in 0..<threads {
                    group.addTask {
                        let key = P256.Signing.PrivateKey()
                        return try Limit.rate { _ = try key.signature(for: Limit.digest) }
                    }
                }
                return try await group.reduce(0, +)
            }
            print(total)
        }
    }

    struct Verifications: ParsableCommand {
        func run() throws {
            let key = P256.Signing.PrivateKey()
            let signature = try key.signature(for: Limit.digest)
            print(Limit.rate { precondition(key.publicKey.isValidSignature(signature, for: Limit.digest)) })
        }
    }

    struct RSASignatures: ParsableCommand {
        func run() throws {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            print(
                try Limit.rate { _ = try key.signature(for: Limit.digest, padding: .insecurePKCS1v1_5) }
            )
        }
    }

    /// Reads pages of twenty rows and the next row from Till's own database file with a cached statement.
    struct PageReads: ParsableCommand {
        @Argument var path: String

        func run() throws {
            let file = try SQLiteFile(path, isReadOnly: true)
            let statement = try file.statement(
                "SELECT * FROM ledger WHERE partition = ? AND account = ? ORDER BY change LIMIT 21"
            )
            let accounts = try Ledger.accounts(in: file)
            var place = 0
            print(
                try Limit.rate {
                    let account = accounts[place % accounts.count]
                    place += 1
                    let rows = try statement.run([account & 1_023, account])
                    precondition(rows == 21, "a page of \(rows) rows")
                }
            )
        }
    }

    /// Commits rows of eleven hundred bytes durably, with this number of rows in each commit.
    struct Commits: ParsableCommand {
        @Argument var path: String
        @Option var rows = 1
        @Option var time = 1.0

        func run() throws {
            let file = try SQLiteFile(path)
            try file.run("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            try file.run("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
            let body = String(repeating: "x", count: 1_100)
            let insert = try file.statement("INSERT INTO bare (body) VALUES ('\(body)')")
            let begin = try file.statement("BEGIN IMMEDIATE")
            let commit = try file.statement("COMMIT")
            let rate = try Limit.rate(for: time) {
                try begin.run()
                for _ in 0..<rows { try insert.run() }
                try commit.run()
            }
            print(rate * Double(rows))
        }
    }

    /// Posts the same bytes with an existing HTTP client.
    struct Posts: AsyncParsableCommand {
        @Argument var url: String
        @Option var body: String
        @Option var count = 10_000
        /// The number of concurrent posts; Till makes as many to one endpoint.
        @Option var lanes = 16

        func run() async throws {
            let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: body)))
            let each = count / lanes
            let time = try await seconds {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<lanes {
                        group.addTask {
                            for _ in 0..<each {
                                var request = HTTPClientRequest(url: url)
                                request.method = .POST
                                request.headers.add(name: "Content-Type", value: "application/json")
                                request.body = .bytes(bytes)
                                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
                                guard response.status == .ok else {
                                    throw BenchRefused("a post was not answered with 200")
                                }
                                _ = try await response.body.collect(upTo: 1 << 20)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            print(Double(each * lanes) / time)
        }
    }
}
