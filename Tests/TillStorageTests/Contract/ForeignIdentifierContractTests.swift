import Testing
import TillCore
import TillStorage

@Suite("Every storage engine keeps identifiers of other stores unique")
struct ForeignIdentifierContractTests {
    private static func imported(_ kind: ForeignIdentifier.Kind, _ text: String, of account: Account) -> Change {
        Change(foreignIdentifiers: [
            ForeignIdentifier(kind, text, in: StorageFixture.scope, of: account.id, own: 7)
        ])
    }

    /// The identifier that a change was refused for; nil if it was committed.
    private static func refused(_ results: [Result<Void, CommitFailure>]) throws -> String? {
        do {
            try #require(results.first).get()
            return nil
        } catch CommitFailure.identifierExists(let id) {
            return id
        }
    }

    @Test("An identifier that Till created or that was imported is refused at the commit", arguments: Engine.allCases)
    func unique(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let (ann, storage) = (fixture.account("ann", number: 1), fixture.storage)
        let row = fixture.row(ann, 1, type: .autoRenewable, group: "1")
        _ = try await fixture.commit(ann, rows: [row])
        let order = try #require(row.order?.wireForm)
        let bob = fixture.account("bob", number: 2)
        for (kind, text) in [
            (ForeignIdentifier.Kind.transaction, row.id.wireForm), (.transaction, ann.id.wireForm), (.order, order),
        ] {
            #expect(try Self.refused(await storage.commit([Self.imported(kind, text, of: bob)])) == text)
        }
        // The same numbers as identifiers of another kind, or in another app, are others.
        #expect(try Self.refused(await storage.commit([Self.imported(.lineItem, row.id.wireForm, of: bob)])) == nil)
        let other = AccountScope(environment: .sandbox, app: "com.other")
        let elsewhere = ForeignIdentifier(.transaction, row.id.wireForm, in: other, of: bob.id, own: 7)
        #expect(try Self.refused(await storage.commit([Change(foreignIdentifiers: [elsewhere])])) == nil)
        for kind in [ForeignIdentifier.Kind.transaction, .order, .lineItem] {
            #expect(try Self.refused(await storage.commit([Self.imported(kind, "300", of: bob)])) == nil)
            #expect(try Self.refused(await storage.commit([Self.imported(kind, "300", of: ann)])) == "300")
        }
        // A refused import writes nothing, also together with other changes.
        var both = Self.imported(.transaction, "300", of: bob)
        both.accounts = [AccountChange(account: bob, before: nil)]
        let cat = Change(accounts: [AccountChange(account: fixture.account("cat", number: 3), before: nil)])
        let results = await storage.commit([both, cat])
        #expect(try Self.refused(results) == "300")
        try results[1].get()
        #expect(try await storage.account(bob.id) == nil)
    }

    @Test("The counters of identifiers are found in a range", arguments: Engine.allCases)
    func counters(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let ann = fixture.account("ann", number: 1)
        var ids = Identifiers(reserved: 10..<14)
        let texts = (0..<4).map { _ in
            ids.transaction(of: ann.id, environment: .sandbox, storefront: .unitedStates).wireForm
        }
        for text in texts + ["9000000000000000000"] {
            try await fixture.storage.commit([Self.imported(.transaction, text, of: ann)])[0].get()
        }
        #expect(try await fixture.storage.reservedCounters(in: 11..<13).sorted() == [11, 12])
        #expect(try await fixture.storage.reservedCounters(in: 14..<1_000).isEmpty)
    }
}
