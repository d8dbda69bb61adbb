import Foundation
import Testing
import TillCore

@Suite("A storefront is found by its code")
struct CatalogStorefrontTests {
    @Test("Every line of the table is well formed, and no code or id is duplicated")
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
        "The ids in Apple's payload documentation are right",
        arguments: [
            ("USA", "143441", "USD"), ("KOR", "143466", "KRW"), ("TUR", "143480", "TRY"), ("AUS", "143460", "AUD"),
        ]
    )
    func documented(code: String, id: String, currency: String) {
        #expect(Storefront(code: code)?.id == id)
        #expect(Storefront(code: code)?.currency == currency)
    }

    @Test("No other spelling is accepted", arguments: ["usa", "US", "", "USA ", "XXX"])
    func unknown(code: String) {
        #expect(Storefront(code: code) == nil)
    }

    @Test("A storefront encodes as its code, and an unknown code does not decode")
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
