import Foundation
import Testing
import TillCore
import TillStorage

@testable import TillShop

/// An exported state can be imported only if the import accepts every number in its catalog.
@Suite("The numbers of a catalog are within the ranges of an export")
struct CatalogNumberTests {
    private func storeKit(level: String, appleID: String) -> String {
        """
        {"settings": {"_applicationInternalID": "\(appleID)"}, "subscriptionGroups": [{"id": "g", "subscriptions": [
        {"productID": "s", "type": "RecurringSubscription", "displayPrice": "1", "groupNumber": \(level),
        "recurringSubscriptionPeriod": "P1M"}]}]}
        """
    }

    private func document(level: String, appleID: String, redemptions: String) -> String {
        """
        {"settings": {"appAppleId": \(appleID)}, "products": [{"productId": "s", "type": "AUTO_RENEWABLE",
        "price": "1", "subscription": {"groupId": "g", "level": \(level), "period": "P1M"}, "offers": [{"kind": "CODE",
        "id": "c", "mode": "FREE_TRIAL", "period": "P1W", "redemptionLimit": \(redemptions)}]}]}
        """
    }

    @Test("The largest numbers that either format accepts are accepted in an export")
    func largest() throws {
        let (level, large) = ("\(CatalogLimits.levels.upperBound)", "\(CatalogLimits.appleIDs.upperBound)")
        let redemptions = "\(CatalogLimits.redemptions.upperBound)"
        let catalogs = [
            try StoreKitFile.read(Array(storeKit(level: level, appleID: large).utf8)).catalog,
            try CatalogDocument.catalog(
                from: Array(document(level: level, appleID: large, redemptions: redemptions).utf8)
            ).catalog,
        ]
        for catalog in catalogs {
            #expect(catalog.settings.appAppleID == Int64(large))
            #expect(catalog.products["s"]?.plan?.level == CatalogLimits.levels.upperBound)
            let app = "com.example.app"
            let stored = try Document(kind: .catalog, name: app, app: app, encoding: catalog)
            #expect(Registry.fault(in: stored) == nil)
        }
        #expect(catalogs[1].products["s"]?.offers.first?.redemptionLimit == CatalogLimits.redemptions.upperBound)
    }

    @Test("A larger number is rejected with its path", arguments: ["9223372036854775807", "18446744073709551616"])
    func tooLarge(number: String) {
        #expect(
            CatalogFixtures.faults(of: storeKit(level: number, appleID: number))?.map(path) == [
                "$.settings._applicationInternalID", "$.subscriptionGroups[0].subscriptions[0].groupNumber",
            ]
        )
        let text = document(level: number, appleID: number, redemptions: number)
        #expect(
            CatalogFixtures.faults { try CatalogDocument.catalog(from: Array(text.utf8)) }?.map(path) == [
                "$.settings.appAppleId", "$.products[0].subscription.level", "$.products[0].offers[0].redemptionLimit",
            ]
        )
    }

    private func path(_ fault: String) -> String { String(fault.prefix { $0 != ":" }) }
}
