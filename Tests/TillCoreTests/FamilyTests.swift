import Testing
import TillCore
import TillTestSupport

@Suite("Families")
struct FamilyTests {
    @Test("A family member's shared transaction has its own ids, no price, and the ownership type FAMILY_SHARED")
    func copies() throws {
        var shop = CoreShop(selling: [
            .plan(isShared: true), .skin.shared, .coins,
        ])
        try shop.join("bob", familyOf: "ann")
        try shop.buy("coins", by: "ann")
        let skin = try shop.buy("skin", by: "ann")
        let pro = try shop.buy("pro", by: "ann", token: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
        let rows = shop.history("bob")
        #expect(rows.map(\.productID) == ["skin", "pro"])
        #expect(rows.map(\.sharedFrom) == [skin.id, pro.id])
        for row in rows {
            #expect(row.ownership == .familyShared && row.price == nil && row.order == nil)
            #expect(row.appAccountToken == nil && row.isOriginal)
            #expect(row.id.partition == shop.accounts["bob"]?.id.partition)
        }
        #expect(rows[1].expiresDate == pro.expiresDate)
        #expect(rows[1].lineItem != pro.lineItem && rows[1].lineItem != nil)
        #expect(shop.status("bob", .familyShared) == .active)
    }

    @Test("A new member gets access to the products of the other members, and the other members to the new member's")
    func joining() throws {
        var shop = CoreShop(selling: [.plan(isShared: true), .skin.shared])
        try shop.buy("pro", by: "ann")
        try shop.buy("skin", by: "bob")
        try shop.join("bob", familyOf: "ann")
        #expect(shop.history("bob").map(\.productID) == ["skin", "pro"])
        #expect(shop.history("ann").map(\.productID) == ["pro", "skin"])
        #expect(throws: Refusal.alreadyInFamily(customer: "bob", family: "family")) {
            try shop.join("bob", familyOf: "ann")
        }
    }

    @Test("A refund to the purchaser ends the members' access, and its reversal restores the access")
    func refund() throws {
        var shop = CoreShop(selling: [.plan(isShared: true), .skin.shared])
        try shop.join("bob", familyOf: "ann")
        try shop.join("cat", familyOf: "ann")
        let pro = try shop.buy("pro", by: "ann")
        let skin = try shop.buy("skin", by: "ann")
        for row in [pro, skin] { try shop.refund(row, by: "ann", because: .issueInApp) }
        for member in ["bob", "cat"] {
            for row in shop.history(member) {
                #expect(row.revocation?.kind == .familyRevoke)
                #expect(row.revocation?.reason == .issueInApp)
                #expect(row.revocation?.percentage == nil && row.refundNumber == nil)
            }
            #expect(shop.status(member, .familyShared) == .revoked)
        }
        for row in [pro, skin] { try shop.perform(.reverseRefund(row.id), by: "ann") }
        for member in ["bob", "cat"] {
            #expect(shop.history(member).allSatisfy { $0.revocation == nil })
            #expect(shop.status(member, .familyShared) == .active)
        }
    }

    @Test("A member who leaves loses the shared products; when the organizer leaves, all members lose them")
    func leaving() throws {
        var shop = CoreShop(selling: [.skin.shared])
        try shop.join("bob", familyOf: "ann")
        try shop.join("cat", familyOf: "ann")
        try shop.buy("skin", by: "ann")
        try shop.perform(.leaveFamily, by: "bob")
        #expect(shop.history("bob").last?.revocation?.reason == .other)
        #expect(shop.history("cat").last?.revocation == nil)
        #expect(shop.accounts["cat"]?.family?.members.count == 2)
        try shop.perform(.leaveFamily, by: "ann")
        #expect(shop.history("cat").last?.revocation?.kind == .familyRevoke)
        #expect(shop.accounts.values.allSatisfy { $0.family == nil })
        #expect(throws: Refusal.notInFamily(customer: "cat")) { try shop.perform(.leaveFamily, by: "cat") }
        #expect(try shop.buy("skin", by: "cat").ownership == .purchased)
    }

    @Test("A family has at most six members")
    func size() throws {
        var shop = CoreShop(selling: [.coins])
        for member in ["b", "c", "d", "e", "f"] { try shop.join(member, familyOf: "a") }
        #expect(throws: Refusal.familyFull(family: "family")) { try shop.join("g", familyOf: "a") }
    }

    @Test("A shared transaction cannot be refunded, and cannot get an app account token")
    func copiesAreNotOwned() throws {
        var shop = CoreShop(selling: [.skin.shared])
        try shop.join("bob", familyOf: "ann")
        try shop.buy("skin", by: "ann")
        let copy = try #require(shop.history("bob").first)
        #expect(throws: Refusal.familyShared(copy.id)) { try shop.refund(copy, by: "bob") }
        #expect(throws: Refusal.familyShared(copy.id)) {
            try shop.perform(.setAppAccountToken(copy.id, token: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"), by: "bob")
        }
    }

    @Test("When the purchaser upgrades, the members' shared subscriptions keep their original transaction ids")
    func upgrade() throws {
        var shop = CoreShop(selling: [
            .plan("basic", level: 2, isShared: true), .plan("top", isShared: true),
        ])
        try shop.join("bob", familyOf: "ann")
        try shop.buy("basic", by: "ann")
        let original = try #require(shop.history("bob").first)
        try shop.buy("top", by: "ann")
        let rows = shop.history("bob")
        #expect(rows.map(\.productID) == ["basic", "top"])
        #expect(rows[0].isUpgraded && !rows[1].isUpgraded)
        #expect(rows[1].originalID == original.id)
    }

    @Test("A refund of an older purchase leaves the members' current transaction unchanged")
    func olderPurchase() throws {
        var shop = CoreShop(selling: [.skin.shared])
        let first = try shop.buy("skin", by: "ann")
        try shop.join("bob", familyOf: "ann")
        try shop.refund(first, by: "ann")
        let second = try shop.buy("skin", by: "ann")
        try shop.perform(.reverseRefund(first.id), by: "ann")
        try shop.refund(first, by: "ann")
        let live = shop.history("bob").filter { $0.revocation == nil }
        #expect(live.map(\.sharedFrom) == [second.id])
    }
}
