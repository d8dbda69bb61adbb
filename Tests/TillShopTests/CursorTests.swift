import Foundation
import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@Suite("Cursors are opaque, stay valid and cannot be forged")
struct CursorTests {
    @Test("A cursor is decoded to what was encoded, also by another shop on the same store")
    func roundTrip() async throws {
        let test = try await TestShop()
        let cursor = Cursor(
            route: .historyV1,
            account: AccountID(704_000_000_000_031_098),
            isAscending: false,
            filters: .max,
            position: 12_345
        )
        let text = test.shop.cursors.seal(cursor)
        #expect(test.shop.cursors.open(text) == cursor)
        #expect(text.utf8.allSatisfy { (0x30...0x7a).contains($0) || $0 == 0x2d })
        let again = try await Shop(storage: test.shop.storage, chain: test.shop.signingChain, wallClock: { test.now })
        #expect(again.cursors.open(text) == cursor)
        let otherShop = try await TestShop()
        #expect(otherShop.shop.cursors.open(text) == Cursor?.none)
    }

    @Test("A cursor with a changed, removed or added character is invalid")
    func tampering() async throws {
        let test = try await TestShop()
        let text = test.shop.cursors.seal(Cursor(route: .refunds, account: AccountID(1), position: 1))
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(test.shop.cursors.open(changed) == Cursor?.none)
        }
        for wrong in [String(text.dropLast()), text + "A", "", "x", String(repeating: "A", count: 10_000), "ü"] {
            #expect(test.shop.cursors.open(wrong) == Cursor?.none)
        }
    }

    @Test("Equal filters have equal digests in any order; different filters have different digests")
    func digests() {
        let one = HistoryFilter(productIDs: ["a", "b"], productTypes: [.consumable, .nonRenewing])
        let same = HistoryFilter(productIDs: ["b", "a"], productTypes: [.nonRenewing, .consumable])
        #expect(one.digest == same.digest)
        let filters = [
            HistoryFilter(), one, HistoryFilter(productIDs: ["a,b"]), HistoryFilter(productIDs: ["a", "b"]),
            HistoryFilter(groups: ["a", "b"]), HistoryFilter(revoked: true), HistoryFilter(revoked: false),
            HistoryFilter(startDate: Timestamp(milliseconds: 1)), HistoryFilter(endDate: Timestamp(milliseconds: 1)),
            HistoryFilter(ownership: .purchased),
        ]
        #expect(Set(filters.map(\.digest)).count == filters.count)
    }
}
