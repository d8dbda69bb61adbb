import ArgumentParser
import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import NIOCore
import NIOHTTP1
import SwiftASN1

/// Measures one limit of the machine, per second. It runs in a separate process, so that it can use the same core as
/// Till.
struct Limit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures one limit of the machine and prints it, as a number per second.",
        shouldDisplay: false,
        subcommands: [
            Signatures.self, Verifications.self, RSASignatures.self, Receipts.self, PageReads.self, AccountReads.self,
            Commits.self, Posts.self,
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

    /// Reads all rows of the account that has this number of them.
    struct AccountReads: ParsableCommand {
        @Argument var path: String
        @Option var rows: Int

        func run() throws {
            let file = try SQLiteFile(path, isReadOnly: true)
            let accounts = try file.integers("SELECT account FROM accounts WHERE row_count = \(rows) LIMIT 1")
            guard let account = accounts.first else { throw BenchRefused("no account has \(rows) rows") }
            let statement = try file.statement(
                "SELECT * FROM ledger WHERE partition = ? AND account = ? ORDER BY change"
            )
            print(
                try Limit.rate {
                    let read = try statement.run([account & 1_023, account])
                    precondition(read == rows, "an account of \(read) rows")
                }
            )
        }
    }

    /// Encodes the attributes of a receipt with as many transactions as DER, hashes the bytes as a signature does, and
    /// encodes them in Base64.
    struct Receipts: ParsableCommand {
        @Option var transactions: Int

        /// The attributes of a transaction in a receipt: their types, and values of the usual lengths.
        private static let attributes: [(type: Int, value: [UInt8])] =
            [1_701, 1_702, 1_703, 1_704, 1_705, 1_706, 1_708, 1_711, 1_712, 1_713, 1_719].map { type in
                (type, [UInt8](repeating: 0x61, count: type >= 1_704 && type != 1_711 ? 20 : 8))
            }

        func run() throws {
            print(
                try Limit.rate {
                    var writer = DER.Serializer()
                    try writer.appendConstructedNode(identifier: .set) { set in
                        for _ in 0..<transactions { try Self.append(to: &set) }
                    }
                    _ = SHA256.hash(data: writer.serializedBytes)
                    _ = Data(writer.serializedBytes).base64EncodedString()
                }
            )
        }

        private static func append(to set: inout DER.Serializer) throws {
            var inner = DER.Serializer()
            try inner.appendConstructedNode(identifier: .set) { inner in
                for attribute in attributes { try append(attribute.type, attribute.value, to: &inner) }
            }
            try append(17, inner.serializedBytes, to: &set)
        }

        private static func append(_ type: Int, _ value: [UInt8], to set: inout DER.Serializer) throws {
            try set.appendConstructedNode(identifier: .sequence) { sequence in
                try sequence.serialize(type)
                try sequence.serialize(1)
                try sequence.serialize(ASN1OctetString(contentBytes: value[...]))
            }
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
