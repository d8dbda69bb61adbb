import Foundation
import GRDB
import Testing
import TillCore
import TillSQLite
import TillStorage
import TillTestSupport

@testable import TillShop

/// Damages stored accounts, as a manual edit of an export or of a database can do. An account then contradicts itself
/// or another account.
/// No damage may crash the server: the doctor reports it, an import rejects it, and the shop quarantines the account.
@Suite("Damaged accounts are quarantined")
struct DamagedAccountTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)
    private static let customers = ["ann", "bob", "cat", "dan", "eve"]

    /// A manual change that damages stored accounts.
    struct Damage: Sendable, CustomTestStringConvertible {
        /// The customer whose operations are rejected.
        let customer: String
        /// A text that the reason must contain.
        let words: String
        let sql: String

        var testDescription: String { "\(customer): \(words)" }

        init(_ customer: String, _ words: String, _ sql: String) {
            self.customer = customer
            self.words = words
            self.sql = sql
        }

        /// A change of the state of a customer's account.
        static func state(_ customer: String, _ words: String, of changed: String? = nil, _ expression: String)
            -> Damage
        {
            let sql = "UPDATE accounts SET state = \(expression) WHERE customer = '\(changed ?? customer)'"
            return Damage(customer, words, sql)
        }
    }

    static let damages: [Damage] = [
        // These changes damage families.
        Damage("ann", "which does not exist", "DELETE FROM accounts WHERE customer = 'bob'"),
        .state("ann", "which is not in this family", of: "bob", "json_remove(state, '$.family')"),
        .state("ann", "which is not in this family", of: "bob", "json_set(state, '$.family.name', 'Others')"),
        .state(
            "ann",
            "does not have it as a member",
            "json_remove(state, '$.family.members[0]')"
        ),
        .state(
            "bob",
            "names a member twice",
            "json_insert(state, '$.family.members[#]', json_extract(state, '$.id'))"
        ),
        .state("ann", "is not a member", "json_set(state, '$.family.organizer', 704000000000000000)"),
        .state(
            "ann",
            "more than 6 members",
            """
            json_insert(state, '$.family.members[#]', 1, '$.family.members[#]', 2, '$.family.members[#]', 3,
                '$.family.members[#]', 4, '$.family.members[#]', 5)
            """
        ),
        .state("ann", "uses another clock", of: "bob", "json_set(state, '$.clock', 'own')"),
        // These changes damage shared transactions.
        .state(
            "bob",
            "is not in its family",
            "json_set(state, '$.sharedSubscriptions[0].owner', 704000000000000000)"
        ),
        .state("bob", "is not in its family", "json_set(state, '$.holdings[0].sharedFrom', 704000000000000000)"),
        .state("bob", "which it does not have", "json_set(state, '$.holdings[0].source', 2000000000000000)"),
        .state("bob", "does not name the purchaser", "json_remove(state, '$.holdings[0].sharedFrom')"),
        .state(
            "bob",
            "a period without an end",
            "json_remove(state, '$.sharedSubscriptions[0].state.latest.expiresDate')"
        ),
        .state(
            "bob",
            "that it does not have",
            "json_set(state, '$.sharedSubscriptions[0].groupID', 'x', '$.sharedSubscriptions[0].state.latest.groupID', 'x')"
        ),
        // These changes damage subscriptions and their transactions.
        .state(
            "cat",
            "which names account",
            "json_set(state, '$.subscriptions[0].state.latest.account', 704000000000000000)"
        ),
        .state("cat", "a period without an end", "json_remove(state, '$.subscriptions[0].state.latest.expiresDate')"),
        .state(
            "cat",
            "belongs to another subscription",
            "json_set(state, '$.subscriptions[0].state.latest.originalID', 2000000000000000)"
        ),
        .state(
            "cat",
            "two subscriptions with the same original",
            "json_insert(state, '$.subscriptions[#]', json_extract(state, '$.subscriptions[0]'))"
        ),
        .state(
            "cat",
            "a date is out of range",
            "json_set(state, '$.subscriptions[0].state.latest.expiresDate', 9223372036854775807)"
        ),
        .state(
            "cat",
            "a date is out of range",
            "json_set(state, '$.subscriptions[0].state.latest.purchaseDate', -9223372036854775807)"
        ),
        .state("cat", "one of its dates is out of range", "json_set(state, '$.lastSigned', 9223372036854775807)"),
        .state(
            "cat",
            "a number out of range",
            "json_set(state, '$.subscriptions[0].paidService', 9223372036854775807)"
        ),
        .state("cat", "a number out of range", "json_set(state, '$.subscriptions[0].renewals', 9223372036854775807)"),
        .state("cat", "one of its counters is out of range", "json_set(state, '$.changeNumber', 9223372036854775807)"),
        .state(
            "cat",
            "one of its counters is out of range",
            "json_set(state, '$.notificationNumber', 9223372036854775807)"
        ),
        .state(
            "cat",
            "the month of the commitment is out of range",
            """
            json_set(state, '$.subscriptions[0].state.latest.commitment', json('{"period":9223372036854775807,"periods":12,
                "expiresDate":1,"price":{"milliunits":1,"currency":"USD"}}'))
            """
        ),
        // These changes damage owned products, requests and names.
        .state(
            "ann",
            "two products from the same transaction",
            "json_insert(state, '$.holdings[#]', json_extract(state, '$.holdings[0]'))"
        ),
        .state("dan", "number above the account's count", "json_remove(state, '$.heldNumber')"),
        .state(
            "dan",
            "number above the account's count",
            "json_insert(state, '$.heldPurchases[#]', json_extract(state, '$.heldPurchases[0]'))"
        ),
        .state(
            "dan",
            "two refund requests for one transaction",
            "json_insert(state, '$.refundRequests[#]', json_extract(state, '$.refundRequests[0]'))"
        ),
        .state("eve", "stored", "json_set(state, '$.customer', 'zoe')"),
    ]

    /// Ann shares her purchases with Bob. Cat has her own subscription. Dan waits for the approval of a purchase and
    /// for a refund.
    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for customer in Self.customers { try await test.buy("coins", by: customer) }
        for product in ["pro", "skin"] { try await test.buy(product, by: "ann") }
        let ann = try await account("ann", test)
        for member in ["ann", "bob"] {
            let command = Command.joinFamily(of: ann.id, named: "Family")
            _ = try await test.shop.perform(command, by: test.customer(member))
        }
        try await test.buy("pro", by: "cat")
        try await test.buy("coins", by: "dan")
        try await test.sandbox.requestRefund(by: "dan", because: .other)
        try await test.sandbox.setAskToBuy(true, for: "dan")
        _ = try await test.shop.perform(.purchase(Purchase(productID: "coins")), by: test.customer("dan"))
        return test
    }

    private func account(_ customer: String, _ test: TestShop) async throws -> Account {
        try #require(try await test.sandbox.account(of: customer))
    }

    private func plant(_ sql: String, in test: TestShop) throws {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: test.directory.database, configuration: configuration)
        try database.write {
            try $0.execute(sql: sql)
            #expect($0.totalChangesCount > 0)
        }
        try database.close()
    }

    private func text(_ test: TestShop) async throws -> [UInt8] {
        var text: [UInt8] = []
        try await test.shop.snapshots.export(TestShop.bundleID) { text += $0 }
        return text
    }

    @Test("Undamaged accounts have no findings, and their export can be imported")
    func well() async throws {
        let test = try await shop()
        #expect(await test.doctorFindings().isEmpty)
        try await test.shop.takeState(text: try await text(test))
        let report = try await test.shop.advance(Self.clock, .byPeriod(Period(3, .month)))
        #expect(report.quarantine.isEmpty)
        #expect(await test.doctorFindings().isEmpty)
        try await test.shop.takeState(text: try await text(test))
    }

    @Test("An undamaged account can be read while a member of its family is damaged")
    func damagedRelative() async throws {
        let test = try await shop()
        let sql = "json_remove(state, '$.subscriptions[0].state.latest.expiresDate')"
        try plant("UPDATE accounts SET state = \(sql) WHERE customer = 'ann'", in: test)
        let bob = try await account("bob", test)
        #expect(bob.damage == nil && bob.sharedSubscriptions.count == 1)
        #expect(try await account("ann", test).damage != nil)
        #expect(try await test.shop.instantOfState(of: bob) == test.shop.now(on: Self.clock))
    }

    @Test("The doctor reports the damage, and an import rejects it", arguments: damages)
    func refused(_ damage: Damage) async throws {
        let test = try await shop()
        try plant(damage.sql, in: test)
        let findings = await test.doctorFindings()
        #expect(findings.contains { $0.contains(damage.words) }, "\(findings)")
        let text = try await text(test)
        let error = await #expect(throws: StateRefused.self) { try await test.shop.takeState(text: text) }
        guard case .badFile? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test(
        "No operation on a damaged account causes a crash; the account is quarantined and others work",
        arguments: damages
    )
    func quarantined(_ damage: Damage) async throws {
        let test = try await shop()
        let damaged = try await account(damage.customer, test)
        try plant(damage.sql, in: test)
        let refused = await #expect(throws: DamagedAccount.self) {
            let purchase = Command.purchase(Purchase(productID: "coins"))
            _ = try await test.shop.perform(purchase, by: test.customer(damage.customer))
        }
        #expect(refused?.reason.contains(damage.words) == true, "\(String(describing: refused))")
        #expect(test.shop.quarantine.all.values.contains { $0.contains(damage.words) })
        #expect(test.log.errors.count { $0.contains("an account was quarantined") } == 1)
        // No operation and no advance may end the process.
        let months = try await test.shop.advance(Self.clock, .byPeriod(Period(2, .month)))
        for customer in Self.customers { await perform(customer, test) }
        _ = try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        if damage.customer != "cat" {
            #expect(!months.quarantine.contains("cat"))
            #expect(months.notifications.contains { $0.notice.words == "DID_RENEW" })
        }
        if !damaged.subscriptions.isEmpty {
            #expect(months.quarantine.contains(damage.customer), "\(months)")
        }
    }

    /// Performs every kind of command that looks up other accounts or earlier transactions, and ignores refusals.
    private func perform(_ customer: String, _ test: TestShop) async {
        let found = try? await test.sandbox.account(of: customer)
        guard let account = found ?? nil else { return }
        var commands: [Command] = [.purchase(Purchase(productID: "pro")), .useCard(.declined), .useCard(.accepted)]
        for subscription in account.heldSubscriptions {
            let original = subscription.originalID
            commands += [
                .turnAutoRenewOff(original), .turnAutoRenewOn(original), .shareWithFamily(original, false),
                .shareWithFamily(original, true),
                .refund(Refund(transaction: subscription.latestTransaction.id, share: .unused)),
                .reverseRefund(subscription.latestTransaction.id),
                .extend(Extension(subscription: original, days: 90, reasonCode: 1, request: "\(original.number)")),
            ]
        }
        commands += [.job(Job(id: "job", task: .shareProduct("pro"))), .useClock(nil), .leaveFamily, .processDue]
        for command in commands { _ = try? await test.shop.perform(command, by: test.customer(customer)) }
        _ = try? await test.shop.instantOfState(of: account)
        _ = try? await test.shop.eraseCustomer(test.customer(customer), isDryRun: false)
        _ = account.heldSubscriptions.map { "\($0.status) \($0.renewalDate.iso8601)" }
    }

    @Test("A customer cannot join a family whose organizer was erased in the meantime")
    func erasedHost() async throws {
        let test = try await shop()
        let cat = try await account("cat", test)
        _ = try await test.shop.eraseCustomer(test.customer("cat"))
        await #expect(throws: Refusal.unknownAccount(String(cat.id.number))) {
            let command = Command.joinFamily(of: cat.id, named: "Family")
            _ = try await test.shop.perform(command, by: test.customer("eve"))
        }
    }

    @Test("A repaired account is no longer quarantined")
    func repaired() async throws {
        let test = try await shop()
        let state = try JSONEncoder().encode(try await account("cat", test))
        try plant("UPDATE accounts SET state = json_set(state, '$.changeNumber', -1) WHERE customer = 'cat'", in: test)
        await #expect(throws: DamagedAccount.self) { try await test.buy("coins", by: "cat") }
        #expect(!test.shop.quarantine.all.isEmpty)
        let text = String(decoding: state, as: UTF8.self).replacing("'", with: "''")
        try plant("UPDATE accounts SET state = '\(text)' WHERE customer = 'cat'", in: test)
        try await test.buy("coins", by: "cat")
        #expect(test.shop.quarantine.all.isEmpty)
    }
}
