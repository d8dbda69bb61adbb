import Foundation
import GRDB
import Testing
import TillCore
import TillSQLite
import TillShop
import TillSigning
import TillStorage
import TillTesting

@Suite("The doctor names what is wrong")
struct DoctorTests {
    /// A corruption that is planted, and a word that the doctor's finding must have.
    struct Corruption: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let word: String
        let plant: @Sendable (DataDirectory, TransactionID) throws -> Void

        init(
            _ name: String,
            finding word: String,
            plant: @escaping @Sendable (DataDirectory, TransactionID) throws -> Void
        ) {
            testDescription = name
            self.word = word
            self.plant = plant
        }

        static func sql(_ name: String, finding word: String, _ statement: String) -> Corruption {
            Corruption(name, finding: word) { directory, transaction in
                var configuration = GRDB.Configuration()
                configuration.foreignKeysEnabled = false
                let database = try DatabaseQueue(path: directory.database, configuration: configuration)
                try database.write {
                    try $0.execute(sql: statement.replacing("$ID", with: String(transaction.number)))
                    #expect($0.totalChangesCount > 0)
                }
                try database.close()
            }
        }
    }

    static let corruptions: [Corruption] = [
        .sql("a missing row", finding: "should have 4 transactions and has 3", "DELETE FROM ledger WHERE id = $ID"),
        .sql("a broken change number", finding: "change number 99", "UPDATE ledger SET change = 99 WHERE id = $ID"),
        .sql(
            "a row without its account",
            finding: "account that does not exist",
            "UPDATE ledger SET account = account + 1024 WHERE id = $ID"
        ),
        .sql(
            "a row in a foreign partition",
            finding: "not that of its ids",
            "UPDATE ledger SET id = id + 1 WHERE id = $ID"
        ),
        .sql(
            "a refund without its number",
            finding: "a refund without its number",
            "UPDATE ledger SET refund_number = NULL WHERE refund_number IS NOT NULL"
        ),
        .sql(
            "a subscription that differs from the ledger",
            finding: "otherwise than the ledger",
            "UPDATE ledger SET price = 1 WHERE type = 'autoRenewable'"
        ),
        .sql("an identifier series that fell back", finding: "beyond the last one", "UPDATE identifiers SET next = 2"),
        .sql(
            "a lost original",
            finding: "names the original",
            "UPDATE ledger SET original_id = original_id + 1024 WHERE id = $ID"
        ),
        .sql("a value nobody wrote", finding: "damaged type", "UPDATE ledger SET type = 'gift' WHERE id = $ID"),
        .sql(
            "a key that cannot be read",
            finding: "cannot be read",
            "UPDATE documents SET body = '{' WHERE kind = 'key'"
        ),
        .sql("an app without its team", finding: "team", "DELETE FROM documents WHERE kind = 'team'"),
        .sql("an account of an app that is gone", finding: "of app", "DELETE FROM documents WHERE kind = 'app'"),
        Corruption("a key that others can read", finding: "must be 600") { directory, _ in
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: directory.rootKey)
        },
        Corruption("a root key that does not fit", finding: "root certificate cannot be used") { directory, _ in
            let other = try RootAuthority.make(name: "Other")
            try DataDirectory.write(other.privateKeyPEM.exposed, to: directory.rootKey)
        },
        Corruption("a chain of another root", finding: "another root") { directory, _ in
            let other = try RootAuthority.make(name: "Other")
            let chain = try SigningChain.issue(under: other, ocspURL: "http://localhost/ocsp")
            let files = directory.chain(chain.id)
            try DataDirectory.makeFolder(files.folder)
            try DataDirectory.write(chain.certificatesPEM, to: files.certificates)
            try DataDirectory.write(chain.leafPrivateKeyPEM.exposed, to: files.leafKey)
            try DataDirectory.write(chain.intermediatePrivateKeyPEM.exposed, to: files.intermediateKey)
            try DataDirectory.write(chain.id, to: directory.currentChain)
        },
        Corruption("a lost certificate", finding: "is missing") { directory, _ in
            try FileManager.default.removeItem(atPath: directory.rootCertificate)
        },
        Corruption("a page overwritten on the disk", finding: "") { directory, _ in
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.database))
            try file.seek(toOffset: 8_192 * 5)
            try file.write(contentsOf: Data(repeating: 0xa5, count: 8_192 * 4))
            try file.close()
        },
    ]

    private func shop() async throws -> (TestShop, TransactionID) {
        let test = try await TestShop(selling: SampleProducts.all)
        let coins = try await test.buy("coins", by: "ann")
        try await test.buy("pro", by: "ann")
        try await test.buy("skin", by: "ann")
        let regretted = try await test.buy("coins", by: "ann")
        _ = try await test.shop.perform(.refund(Refund(transaction: regretted.id)), by: test.customer("ann"))
        try await test.shop.storage.close()
        return (test, coins.id)
    }

    private func findings(_ test: TestShop) async -> [String] {
        await Doctor(test.directory, now: test.now.milliseconds).findings {
            try SQLiteStorage(examining: test.directory.database)
        }
    }

    @Test("A shop that nobody harmed is well")
    func well() async throws {
        let (test, _) = try await shop()
        #expect(await findings(test).isEmpty)
    }

    @Test("Each corruption is found and named", arguments: corruptions)
    func found(_ corruption: Corruption) async throws {
        let (test, transaction) = try await shop()
        try corruption.plant(test.directory, transaction)
        let findings = await findings(test)
        #expect(!findings.isEmpty)
        #expect(
            findings.contains { $0.contains(corruption.word) } || corruption.word.isEmpty,
            "\(corruption.testDescription): \(findings)"
        )
    }

    @Test("The doctor works beside a server that is selling")
    func beside() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        let selling = Task {
            for number in 0..<200 { try await test.buy("coins", by: "customer-\(number % 7)") }
        }
        for _ in 0..<5 { #expect(await findings(test).isEmpty) }
        try await selling.value
        #expect(await findings(test).isEmpty)
    }
}
