import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillPostgres
@testable import TillShop

/// Lets PostgreSQL reject the writes of one account, as an overloaded server does.
@Suite("Temporary errors during an advance")
struct TemporaryFailureTests {
    private static let clock = ClockName(AccountScope(environment: .sandbox, app: TestShop.bundleID))

    /// Three subscribers on a frozen clock. The database fails the first writes of Bob's account, or of several.
    private func shop(failures: Int, code: String, of customers: String = "'bob'") async throws -> (TestShop, Session) {
        let test = try await TestShop(on: .postgres, selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for customer in ["ann", "bob", "cat"] { try await test.buy("pro", by: customer) }
        let session = try Session(DatabaseURL(try #require(test.databaseURL)), PostgresSettings())
        try session.run(
            script: """
                CREATE SEQUENCE failures;
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.customer IN (\(customers)) AND nextval('failures') <= \(failures) THEN
                        RAISE EXCEPTION 'sorry' USING ERRCODE = '\(code)';
                    END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER failing BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION fail();
                """
        )
        return (test, session)
    }

    /// Undoes the change of the schema, because the database is used again by other tests.
    private func mend(_ session: Session) throws {
        try session.run(script: "DROP TRIGGER failing ON accounts; DROP FUNCTION fail; DROP SEQUENCE failures")
    }

    @Test("An account whose write fails temporarily is processed again and not quarantined")
    func passes() async throws {
        let (test, session) = try await shop(failures: 3, code: "53200")
        let report = try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        try mend(session)
        #expect(report.quarantine.isEmpty && report.accounts == 3)
        #expect(report.notifications.map { "\($0.notice.words) \($0.count)" } == ["DID_RENEW 3"])
    }

    @Test("If a temporary error does not pass, the advance fails, skips no account and can be repeated")
    func stays() async throws {
        let (test, session) = try await shop(failures: 1_000_000, code: "53200")
        await #expect(throws: ShopBusy.self) {
            try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        }
        try mend(session)
        #expect(test.shop.quarantine.all.isEmpty)
        _ = try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        let account = try await test.sandbox.account(of: "bob")
        #expect(account?.rowCount == 2)
    }

    @Test("When an account ends an advance, no other account whose write failed is quarantined")
    func several() async throws {
        let (test, session) = try await shop(failures: 1_000_000, code: "53200", of: "'ann', 'bob', 'cat'")
        await #expect(throws: ShopBusy.self) {
            try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        }
        try mend(session)
        #expect(test.shop.quarantine.all.isEmpty)
    }

    @Test("An account whose write fails for good is quarantined, and the other accounts are processed")
    func permanent() async throws {
        let (test, session) = try await shop(failures: 1_000_000, code: "22003")
        let report = try await test.shop.advance(Self.clock, .byPeriod(Period(1, .month)))
        try mend(session)
        #expect(report.quarantine == ["bob"])
        #expect(report.notifications.map { "\($0.notice.words) \($0.count)" } == ["DID_RENEW 2"])
    }
}
