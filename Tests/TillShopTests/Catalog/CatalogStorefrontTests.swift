import Foundation
import Testing
import TillCore

@Suite("Storefronts and their codes")
struct CatalogStorefrontTests {
    @Test("Every storefront in the table is well formed, and no code or id occurs twice")
    func table() {
        #expect(Storefront.all.count == 175)
        #expect(Set(Storefront.all.map(\.code)).count == 175)
        #expect(Set(Storefront.all.map(\.id)).count == 175)
        for storefront in Storefront.all {
            #expect(storefront.code.count == 3 && storefront.code.allSatisfy { ("A"..."Z").contains($0) })
            #expect(storefront.id.hasPrefix("143") && storefront.id.count == 6 && Int(storefront.id) != nil)
            #expect(storefront.currency.count == 3 && storefront.currency.allSatisfy { ("A"..."Z").contains($0) })
        }
        #expect(Storefront.all.map(\.code) == Storefront.all.map(\.code).sorted())
    }

    @Test(
        "The storefront ids are those in Apple's payload documentation",
        arguments: [
            ("USA", "143441", "USD"), ("KOR", "143466", "KRW"), ("TUR", "143480", "TRY"), ("AUS", "143460", "AUD"),
        ]
    )
    func documented(code: String, id: String, currency: String) {
        #expect(Storefront(code: code)?.id == id)
        #expect(Storefront(code: code)?.currency == currency)
    }

    @Test("No other spelling of a code is accepted", arguments: ["usa", "US", "", "USA ", "XXX"])
    func unknown(code: String) {
        #expect(Storefront(code: code) == nil)
    }

    @Test("A storefront is encoded as its code, and an unknown code cannot be decoded")
    func coding() throws {
        #expect(Storefront.unitedStates == Storefront(code: "USA"))
        let data = try JSONEncoder().encode([Storefront.unitedStates])
        #expect(String(decoding: data, as: UTF8.self) == "[\"USA\"]")
        #expect(try JSONDecoder().decode([Storefront].self, from: data) == [.unitedStates])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Storefront].self, from: Data("[\"ZZZ\"]".utf8))
        }
    }
}
