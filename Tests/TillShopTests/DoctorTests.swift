import Foundation
import GRDB
import Testing
import TillCore
import TillSQLite
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("Findings of the doctor")
struct DoctorTests {
    /// Damage that the test causes, with a word that the doctor's finding must contain.
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
            finding: "its ids contain another one",
            "UPDATE ledger SET id = id + 1 WHERE id = $ID"
        ),
        .sql(
            "a refund without its number",
            finding: "a refund without its number",
            "UPDATE ledger SET refund_number = NULL WHERE refund_number IS NOT NULL"
        ),
        .sql(
            "a subscription that differs from the ledger",
            finding: "has another version of transaction",
            "UPDATE ledger SET price = 1 WHERE type = 'autoRenewable'"
        ),
        .sql("an identifier counter that went back", finding: "was never reserved", "UPDATE identifiers SET next = 2"),
        .sql(
            "a lost original",
            finding: "names the original",
            "UPDATE ledger SET original_id = original_id + 1024 WHERE id = $ID"
        ),
        .sql(
            "a wrong stored deadline",
            finding: "the next event is due at",
            "UPDATE accounts SET next_due = next_due + 1000 WHERE next_due IS NOT NULL"
        ),
        .sql(
            "a missing stored deadline",
            finding: "stored deadline is never",
            "UPDATE accounts SET next_due = NULL WHERE next_due IS NOT NULL"
        ),
        .sql(
            "an account stored with another clock",
            finding: "clock than its own",
            "UPDATE accounts SET clock = 'other'"
        ),
        .sql(
            "a delivery with another clock",
            finding: "clock than its account",
            "UPDATE deliveries SET clock = 'other' WHERE due IS NOT NULL"
        ),
        .sql("a lost notification", finding: "notifications and has", "DELETE FROM outbox WHERE type = 'SUBSCRIBED'"),
        .sql(
            "a notification without a cause",
            finding: "should have 5 notifications and has 6",
            """
            INSERT INTO outbox
            SELECT partition, id + 1024000, realm, app, account, original_id, transaction_id, uuid || 'x',
                type, subtype, is_triggered, signed_date, chain, body, body_signature, transaction_info,
                transaction_signature, renewal_info, renewal_signature
            FROM outbox WHERE type = 'SUBSCRIBED' AND realm = 'sandbox'
            """
        ),
        .sql(
            "a delivery without a notification",
            finding: "which is missing",
            "DELETE FROM outbox WHERE type = 'REFUND'"
        ),
        .sql("lost certificates of a chain", finding: "which signed", "DELETE FROM documents WHERE kind = 'chain'"),
        .sql(
            "certificates that cannot be read",
            finding: "which signed notifications",
            "UPDATE documents SET body = '\"AAAA\"' WHERE kind = 'chain'"
        ),
        .sql(
            "a notification with another type",
            finding: "does not match its payload",
            "UPDATE outbox SET body = CAST(replace(CAST(body AS TEXT), 'INITIAL_BUY', 'RESUBSCRIBE') AS BLOB)"
        ),
        .sql(
            "a notification with another transaction",
            finding: "does not match its payload",
            "UPDATE outbox SET transaction_info = CAST(replace(CAST(transaction_info AS TEXT), 'USD', 'EUR') AS BLOB)"
        ),
        .sql(
            "a notification with the signature of another",
            finding: "does not match its payload",
            """
            UPDATE outbox SET renewal_signature =
                (SELECT renewal_signature FROM outbox WHERE type = 'DID_RENEW')
            WHERE type = 'SUBSCRIBED' AND realm = 'sandbox'
            """
        ),
        .sql(
            "a delivery without an endpoint",
            finding: "does not exist: gone",
            "UPDATE deliveries SET endpoint = 'gone' WHERE due IS NOT NULL"
        ),
        .sql(
            "a current period that differs from the ledger",
            finding: "has another version of transaction",
            """
            UPDATE accounts SET state = json_set(state, '$.subscriptions[0].state.previous.quantity', 7)
            WHERE json_extract(state, '$.subscriptions[0].state.previous') IS NOT NULL
            """
        ),
        .sql(
            "a product missing in the account",
            finding: "does not record that it owns skin",
            "UPDATE accounts SET state = json_remove(state, '$.holdings') WHERE realm = 'sandbox'"
        ),
        .sql(
            "another product id",
            finding: "which is for the product coins",
            "UPDATE ledger SET product = 'coins' WHERE type = 'nonConsumable'"
        ),
        .sql(
            "a copy without a source",
            finding: "a family member's copy",
            "UPDATE ledger SET ownership = 'FAMILY_SHARED' WHERE id = $ID"
        ),
        .sql(
            "a purchase that is a copy",
            finding: "a family member's copy",
            "UPDATE ledger SET shared_from = id WHERE id = $ID"
        ),
        .sql(
            "a refund without its date",
            finding: "a revocation without its date",
            "UPDATE ledger SET revocation_date = NULL WHERE revocation_date IS NOT NULL"
        ),
        .sql(
            "a date without its refund",
            finding: "a revocation without its date",
            "UPDATE ledger SET revocation_date = purchase_date WHERE id = $ID"
        ),
        .sql(
            "an unknown storefront",
            finding: "(ann) is damaged: a row of the table ledger (id",
            "UPDATE ledger SET storefront = 'ZZZ' WHERE id = $ID"
        ),
        .sql(
            "a value that Till never writes",
            finding: "column type has",
            "UPDATE ledger SET type = 'gift' WHERE id = $ID"
        ),
        .sql(
            "a key that cannot be read",
            finding: "cannot be read",
            "UPDATE documents SET body = '{' WHERE kind = 'key'"
        ),
        .sql("an app without a team", finding: "team", "DELETE FROM documents WHERE kind = 'team'"),
        .sql("an account of a deleted app", finding: "belongs to app", "DELETE FROM documents WHERE kind = 'app'"),
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
        let test = try await TestShop(selling: SampleCatalog.all)
        for environment in StoreEnvironment.allCases {
            try await test.shop.setup.updateRules(of: AccountScope(environment: environment, app: TestShop.bundleID)) {
                $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/never-sent")]
            }
        }
        let coins = try await test.buy("coins", by: "ann")
        try await test.buy("pro", by: "ann")
        try await test.buy("skin", by: "ann")
        let refunded = try await test.buy("coins", by: "ann")
        try await test.sandbox.refund(refunded, by: "ann")
        // In production, a renewal is charged one day ahead. The previous period is current until the renewal date.
        try await test.buy("pro", by: "eve", in: .production)
        let production = ClockName(AccountScope(environment: .production, app: TestShop.bundleID))
        _ = try await test.shop.advance(production, .by(milliseconds: 156 * 3_600_000))
        try await test.shop.storage.close()
        return (test, coins.id)
    }

    private func findings(_ test: TestShop) async -> [String] {
        await Doctor(test.directory, now: test.now.milliseconds).findings {
            try SQLiteStorage(examining: test.directory.database)
        }
    }

    @Test("The doctor has no findings in an undamaged shop")
    func well() async throws {
        let (test, _) = try await shop()
        #expect(await findings(test).isEmpty)
    }

    @Test("The doctor finds and names each corruption", arguments: corruptions)
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

    @Test("The doctor reports an unreadable row, and still finds problems of other accounts")
    func unreadableRow() async throws {
        let (test, transaction) = try await shop()
        let corruption = Corruption.sql(
            "two accounts",
            finding: "",
            """
            UPDATE ledger SET storefront = 'ZZZ' WHERE id = $ID;
            UPDATE accounts SET next_due = next_due + 1000 WHERE customer = 'eve'
            """
        )
        try corruption.plant(test.directory, transaction)
        let findings = await findings(test)
        let row = "a row of the table ledger (id \(transaction.number)) is damaged: its column storefront"
        #expect(findings.contains { $0.contains("(ann) is damaged: \(row)") }, "\(findings)")
        #expect(findings.contains { $0.contains("(eve) the next event is due at") }, "\(findings)")
        #expect(!findings.contains { $0.contains("cannot be read") })
    }

    @Test("An unreachable store is not a finding, and file modes are reported separately")
    func unreached() async throws {
        let (test, _) = try await shop()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: test.directory.rootKey)
        let empty = test.directory.path + "/empty.sqlite"
        try DataDirectory.write("", to: empty)
        let doctor = Doctor(test.directory, now: test.now.milliseconds)
        let unreached = await doctor.report { try SQLiteStorage(examining: empty) }
        #expect(unreached.unreached != nil && unreached.others.isEmpty && unreached.modes.count == 1)
        let reached = await doctor.report { try SQLiteStorage(examining: test.directory.database) }
        #expect(reached.unreached == nil && reached.others.isEmpty && reached.modes.count == 1)
    }

    @Test("The doctor reports a paused endpoint")
    func paused() async throws {
        let (test, _) = try await shop()
        let storage = try SQLiteStorage(path: test.directory.database)
        let registry = try await Registry(storage: storage)
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        var log = EndpointRecord(name: "log", url: "http://127.0.0.1:9/never-sent")
        log.isPaused = true
        var rules = registry.rules(of: scope)
        rules.endpoints.append(log)
        try await registry.put(rules, of: scope)
        try await storage.close()
        let findings = await findings(test)
        let command = "till endpoint resume log --app com.example.shop --environment sandbox"
        #expect(findings.count == 1 && findings.first?.hasSuffix(command) == true, "\(findings)")
    }

    @Test("A damaged file is not served, and the error names the next step")
    func refused() async throws {
        let (test, _) = try await shop()
        let database = try DatabaseQueue(path: test.directory.database)
        let page = try await database.read { db in
            try Int64.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'ledger_by_order'")
        }
        try database.close()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: test.directory.database))
        // The damage is behind the page's header, where the cells begin, so that the file can still be opened.
        try file.seek(toOffset: UInt64((try #require(page) - 1) * 8_192 + 8_192 - 64))
        try file.write(contentsOf: Data(repeating: 0x7f, count: 64))
        try file.close()
        let error = #expect(throws: StoreRefused.self) { try SQLiteStorage(path: test.directory.database) }
        #expect("\(try #require(error))".contains("till doctor says more"))
        #expect(await !findings(test).isEmpty)
    }

    @Test("Events that were scheduled under an earlier catalog or renewal rate are not findings")
    func preconditionFailed() async throws {
        let (test, _) = try await shop()
        let storage = try SQLiteStorage(path: test.directory.database)
        let registry = try await Registry(storage: storage)
        var catalog = registry.catalog(of: TestShop.bundleID)
        for var product in catalog.products.values {
            product.isForSale = false
            catalog.put(product)
        }
        try await registry.put(catalog, of: TestShop.bundleID)
        try await storage.close()
        #expect(await findings(test).isEmpty)
    }

    @Test("The doctor runs beside a server that processes purchases")
    func beside() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let selling = Task {
            for number in 0..<200 { try await test.buy("coins", by: "customer-\(number % 7)") }
        }
        for _ in 0..<5 { #expect(await findings(test).isEmpty) }
        try await selling.value
        #expect(await findings(test).isEmpty)
    }
}
