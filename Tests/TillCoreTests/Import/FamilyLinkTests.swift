import Testing
import TillCore
import TillTestSupport

/// An imported copy whose purchaser is imported, too.
@Suite("Imported copies are linked to the purchases of an imported family member")
struct FamilyLinkTests {
    private static let purchaser = "ann"
    private static let member = "bob"

    /// A family that bought a subscription and a skin.
    private static func family() throws -> CoreShop {
        var shop = CoreShop(selling: [.plan(isShared: true), .skin.shared])
        try shop.join(member, familyOf: purchaser)
        try shop.buy("pro", by: purchaser)
        try shop.buy("skin", by: purchaser)
        return shop
    }

    /// The same customers as an import creates them: no answer names the purchaser of a copy.
    private static func imported(_ shop: CoreShop, _ change: (inout Account) -> Void = { _ in }) throws -> Ledger {
        var ann = try #require(shop.accounts[purchaser])
        var bob = try #require(shop.accounts[member])
        (ann.family, bob.family, bob.foreignID) = (nil, nil, bob.id.wireForm)
        for place in bob.ownedProducts.indices {
            (bob.ownedProducts[place].sharedFrom, bob.ownedProducts[place].source) = (nil, nil)
        }
        for copy in bob.sharedSubscriptions {
            bob.put(
                SharedSubscription(
                    groupID: copy.groupID,
                    originalID: copy.originalID,
                    originalPurchaseDate: copy.originalPurchaseDate,
                    source: .external,
                    state: copy.state.map { row in
                        var row = row
                        row.sharedFrom = nil
                        return row
                    },
                    preference: copy.preference,
                    recentStart: copy.recentStart
                )
            )
        }
        change(&bob)
        return ledger([ann, bob], shop)
    }

    private static func ledger(_ accounts: [Account], _ shop: CoreShop, at now: Timestamp? = nil) -> Ledger {
        Ledger(
            accounts: accounts,
            transactions: Array(shop.rows.values),
            catalog: shop.catalog,
            policy: shop.policy,
            identifiers: Identifiers(reserved: 1_000_000_000..<1_000_100_000),
            at: now ?? shop.now
        )
    }

    private static func link(_ ledger: inout Ledger, joins: String = member, to host: String = purchaser) throws {
        let named = Dictionary(uniqueKeysWithValues: ledger.accounts.values.map { ($0.customer, $0.id) })
        let (id, host) = (try #require(named[joins]), try #require(named[host]))
        try ledger.perform(.joinFamily(of: host, named: "family", linksCopies: true), by: id)
    }

    private static func account(_ customer: String, of ledger: Ledger) throws -> Account {
        try #require(ledger.accounts.values.first { $0.customer == customer })
    }

    @Test("A linked copy is the copy that the member had at the source", arguments: [true, false])
    func linked(memberJoins: Bool) throws {
        let shop = try Self.family()
        var ledger = try Self.imported(shop)
        try Self.link(
            &ledger,
            joins: memberJoins ? Self.member : Self.purchaser,
            to: memberJoins ? Self.purchaser : Self.member
        )
        let (own, theirs) = (try Self.account("bob", of: ledger), try #require(shop.accounts["bob"]))
        #expect(own.sharedSubscriptions == theirs.sharedSubscriptions && own.ownedProducts == theirs.ownedProducts)
        #expect(own.rowCount == theirs.rowCount && ledger.notifications.isEmpty, "no second copies")
        #expect(Ledger.damage(in: Array(ledger.accounts.values)) == nil)
        let links = ledger.events.filter { if case .familyCopyLinked = $0 { true } else { false } }
        #expect(links.count == 2)
    }

    @Test("The purchaser's renewals and refunds change a linked copy")
    func future() throws {
        var shop = try Self.family()
        var ledger = try Self.imported(shop)
        try Self.link(&ledger)
        let later = shop.now.advanced(milliseconds: 40 * 86_400_000)
        var future = Self.ledger(Array(ledger.accounts.values), shop, at: later)
        let isUpToDate = future.catchUp()
        #expect(isUpToDate)
        shop.advance(to: later)
        let copy = try #require(try Self.account("bob", of: future).sharedSubscriptions.first)
        let theirs = try #require(shop.accounts["bob"]?.sharedSubscriptions.first)
        #expect(copy.state.latest.end == theirs.state.latest.end && copy.latestTransaction.reason == .renewal)
        let renewal = try #require(try Self.account("ann", of: future).subscriptions.first?.latestTransaction)
        #expect(copy.latestTransaction.sharedFrom == renewal.id)
        let ann = try Self.account("ann", of: future).id
        try future.perform(.refund(Refund(transaction: renewal.id, share: .full, reason: .other)), by: ann)
        #expect(try Self.account("bob", of: future).sharedSubscriptions.first?.status == .revoked)
    }

    @Test("A copy that is not one of the family's purchase is refused with the key that differs")
    func mismatch() throws {
        let shop = try Self.family()
        let bob = try #require(shop.accounts["bob"]?.sharedSubscriptions.first)
        let ann = try #require(shop.accounts["ann"]?.subscriptions.first)
        let ids = (bob.latestTransaction.shownID, ann.latestTransaction.shownID)
        func changed(_ change: (inout Transaction) -> Void) throws -> Ledger {
            try Self.imported(shop) { account in
                guard var copy = account.sharedSubscriptions.first else { return }
                var row = copy.latestTransaction
                change(&row)
                copy.state = .active(SubscriptionPeriod(row, until: row.expiresDate ?? row.purchaseDate))
                account.put(copy)
            }
        }
        var product = try changed { $0.productID = "max" }
        #expect(throws: Refusal.copyDiffers(ids.0, ids.1, .productID)) { try Self.link(&product) }
        var date = try changed { $0.expiresDate = $0.expiresDate?.advanced(milliseconds: 1) }
        #expect(throws: Refusal.copyDiffers(ids.0, ids.1, .expiresDate)) { try Self.link(&date) }
        var refunded = shop
        try refunded.refund(ann.latestTransaction, by: "ann", because: .other)
        let revoked = try #require(refunded.accounts["ann"])
        let open = try Self.account("bob", of: try Self.imported(shop))
        var ledger = Self.ledger([revoked, open].map(Self.alone), refunded)
        #expect(throws: Refusal.copyDiffers(ids.0, ids.1, .revocationDate)) { try Self.link(&ledger) }
        let known = try [#require(shop.accounts["ann"]), #require(shop.accounts["bob"])]
        var nothing = Self.ledger(known.map(Self.alone), shop)
        #expect(throws: Refusal.noExternalCopy(customer: "bob")) { try Self.link(&nothing) }
    }

    @Test("A product without Family Sharing is refused")
    func notShareable() throws {
        var shop = try Self.family()
        shop.catalog.put(.plan(isShared: false))
        var ledger = try Self.imported(shop)
        #expect(throws: Refusal.notShareable(product: "pro")) { try Self.link(&ledger) }
    }

    private static func alone(_ account: Account) -> Account {
        var account = account
        account.family = nil
        return account
    }
}
