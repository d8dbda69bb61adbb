import Foundation
import Testing
import TillCore
import TillShop

/// Checks the demo catalog of Till.
@Suite("The demo catalog contains everything that can be sold")
struct CatalogDemoTests {
    private func demo() throws -> Catalog {
        let file = CatalogFixtures.root.appending(path: "Catalogs/demo.storekit")
        return try StoreKitFile.read([UInt8](try Data(contentsOf: file))).catalog
    }

    @Test("The demo catalog has every product type, every kind and mode of offer, and two subscription groups")
    func everything() throws {
        let catalog = try demo()
        let products = catalog.products.values
        #expect(catalog.groups.count == 2)
        #expect(Set(products.map(\.type)) == Set(ProductKind.allCases))
        for type in ProductKind.allCases where type == .autoRenewable || type == .nonConsumable {
            #expect(products.contains { $0.type == type && $0.isFamilyShareable }, "no shared \(type)")
        }
        let offers = products.flatMap(\.offers)
        for kind in OfferType.allCases {
            #expect(offers.contains { $0.kind == kind }, "no \(kind) offer")
        }
        #expect(Set(offers.map(\.mode)) == [.freeTrial, .payAsYouGo, .payUpFront])
        #expect(products.contains { $0.plan?.billingPlans.contains { $0.kind == .monthly && $0.isEnabled } == true })
    }

    @Test("A customer of the middle plan can upgrade, downgrade, and crossgrade to another duration")
    func choices() throws {
        let plans = try demo().products.values.compactMap(\.plan)
        for group in Set(plans.map(\.groupID)) {
            #expect(Set(plans.filter { $0.groupID == group }.map(\.level)).count >= 2)
        }
        let middle = plans.filter { plan in
            plans.contains { $0.groupID == plan.groupID && $0.level < plan.level }
                && plans.contains { $0.groupID == plan.groupID && $0.level > plan.level }
                && plans.contains { $0.groupID == plan.groupID && $0.level == plan.level && $0.period != plan.period }
        }
        #expect(!middle.isEmpty)
    }
}
