import Foundation
import Testing
import TillCore
import TillJSON
import TillShop

/// Deviations in files that were written by hand or that Xcode saved incompletely.
@Suite("A .storekit file may deviate from the format if no information is lost")
struct CatalogLeniencyTests {
    private func product(_ json: String) throws -> Product? {
        try StoreKitFile.read(Array("{\"products\": [\(json)]}".utf8)).catalog.products["p"]
    }

    private func subscription(_ members: String) throws -> Product? {
        let text = """
            {"subscriptionGroups": [{"id": "G", "subscriptions": [{"productID": "s", "displayPrice": "5", "groupNumber":
            1, "recurringSubscriptionPeriod": "P1M", "type": "RecurringSubscription"\(members)}]}]}
            """
        return try StoreKitFile.read(Array(text.utf8)).catalog.products["s"]
    }

    @Test("A file may lack names, texts, internal ids, its identifier and its version")
    func missing() throws {
        let found = try product(#"{"productID": "p", "displayPrice": "1", "type": "Consumable"}"#)
        let price = PriceList(standard: Money(milliunits: 1_000, currency: "USD"))
        #expect(found == Product(id: "p", type: .consumable, referenceName: "p", prices: price))
    }

    @Test(
        "The version of a file may be a pair of numbers, a number or a text",
        arguments: ["4", "4.0", "\"4.0\"", "{\"major\": 4, \"minor\": 0}"]
    )
    func version(text: String) throws {
        let file = "{\"products\": [], \"version\": \(text)}"
        #expect(try StoreKitFile.read(Array(file.utf8)).version == "4.0")
    }

    @Test(
        "A price is read exactly, from a text or a number",
        arguments: [
            ("\"4.99\"", 4_990), ("4.99", 4_990), ("5", 5_000), ("\"0\"", 0), ("0.07", 70), ("1.005", 1_005),
            ("\"0.5\"", 500), ("9999999999.999", 9_999_999_999_999), ("79.29", 79_290), ("\"300.00\"", 300_000),
        ]
    )
    func price(text: String, milliunits: Int64) throws {
        let found = try product("{\"productID\": \"p\", \"displayPrice\": \(text), \"type\": \"Consumable\"}")
        #expect(found?.prices.standard.milliunits == milliunits)
    }

    @Test(
        "An amount in any other form is rejected as a price",
        arguments: [
            "1e2", "-0", "0.0001", "\"\"", "\" 1\"", "\"$1\"", "\".5\"", "\"1.\"", "99999999999", "\"١\"", "[1]",
        ]
    )
    func noPrice(text: String) {
        let file = "{\"products\": [{\"productID\": \"p\", \"displayPrice\": \(text), \"type\": \"Consumable\"}]}"
        #expect(CatalogFixtures.faults(of: file)?.map { $0.prefix(26) } == ["$.products[0].displayPrice"])
    }

    @Test("winBackOffers is accepted instead of winbackOffers, and its entries may use either name, too")
    func winBack() throws {
        let product = try subscription(
            """
            , "winBackOffers": [{"offerID": "a", "paymentMode": "free", "subscriptionPeriod": "P1W"}],
            "winbackOffers": [{"referenceName": "b", "paymentMode": "free", "subscriptionPeriod": "P1W"}]
            """
        )
        #expect(product?.offers.map(\.id) == ["b", "a"])
        #expect(product?.offers.allSatisfy { $0.kind == .winBack && $0.winBack == WinBackCriteria() } == true)
    }

    @Test("The single introductory offer is used if the list of introductory offers is empty")
    func introductory() throws {
        let single = ", \"introductoryOffer\": {\"paymentMode\": \"free\", \"subscriptionPeriod\": \"P1W\"}"
        #expect(try subscription(single + ", \"introductoryOffers\": []")?.offers.map(\.period) == [Period(1, .week)])
        let listed = """
            , "introductoryOffers": [{"paymentMode": "free", "subscriptionPeriod": "P1M"}]
            """
        #expect(try subscription(single + listed)?.offers.map(\.period) == [Period(1, .month)])
        #expect(try subscription(", \"introductoryOffer\": null")?.offers == [])
    }

    @Test("A repeated free period is imported as one longer period")
    func repeatedPeriods() throws {
        for (period, count, whole) in [("P1W", 2, "P2W"), ("P1M", 12, "P1Y"), ("P1D", 3, "P3D"), ("P1D", 7, "P1W")] {
            let members = """
                , "introductoryOffer":
                {"paymentMode": "free", "subscriptionPeriod": "\(period)", "numberOfPeriods": \(count)}
                """
            let offer = try subscription(members)?.offers.first
            #expect(offer?.period?.iso8601 == whole)
            #expect(offer?.periodCount == 1)
        }
    }

    @Test("The price of a free offer, unknown keys and unknown sections are ignored")
    func ignored() throws {
        let members = """
            , "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W", "displayPrice": "gone", "x": 1},
            "future": {"deep": [1, 2.5e3, true]}
            """
        #expect(try subscription(members)?.offers.first?.prices == nil)
    }

    @Test("A file without products is imported as an empty catalog")
    func empty() throws {
        let file = #"{"appPolicies": {}, "products": [], "settings": {}, "version": {"major": 4, "minor": 0}}"#
        #expect(try StoreKitFile.read(Array(file.utf8)).catalog == Catalog())
    }

    @Test("A local application id that is not a number is ignored")
    func applicationID() throws {
        let file = #"{"products": [], "settings": {"_applicationInternalID": "8C0FFEE8"}}"#
        #expect(try StoreKitFile.read(Array(file.utf8)).catalog.settings.appAppleID == nil)
    }

    @Test("Escapes, surrogate pairs and other languages are decoded")
    func text() throws {
        let found = try product(
            #"{"productID": "p", "displayPrice": "1", "type": "Consumable", "referenceName": "\"\\\/\n\u00e9\ud83c\udf31湯"}"#
        )
        #expect(found?.referenceName == "\"\\/\n\u{e9}\u{1F331}湯")
    }

    @Test("The files in TILL_EXTRA_STOREKIT_DIR are imported, and survive a round trip through Till's JSON")
    func extraFiles() throws {
        guard let path = ProcessInfo.processInfo.environment["TILL_EXTRA_STOREKIT_DIR"], !path.isEmpty else { return }
        let files = try CatalogFixtures.files(in: URL(filePath: path))
        #expect(!files.isEmpty, "no .storekit file in \(path)")
        for file in files {
            let imported = try StoreKitFile.read([UInt8](try Data(contentsOf: file)))
            let catalog = imported.catalog
            let offers = catalog.products.values.map(\.offers.count).reduce(0, +)
            print(
                "\(file.lastPathComponent): version \(imported.version ?? "none"), \(catalog.products.count) products,",
                "\(catalog.groups.count) groups, \(offers) offers"
            )
            #expect(try CatalogDocument.catalog(from: CatalogDocument.tree(of: catalog).written()).catalog == catalog)
        }
    }
}
