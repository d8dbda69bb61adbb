import Foundation
import Testing
import TillCore
import TillJSON
import TillSQLite
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("Payload profiles in a shop")
struct PayloadProfileTests {
    private let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    private func set(_ payloadProfile: PayloadProfile?, in test: TestShop) async throws {
        try await test.shop.setup.updateRules(of: scope) { $0.payloadProfile = payloadProfile }
    }

    /// The claims in the payload of a compact JWS.
    private func claims(_ jws: String) throws -> JSONTree {
        let parts = jws.split(separator: ".")
        return try JSONTree.parse(try #require(Base64URL.decode(String(parts[1]))))
    }

    private func notifications(_ test: TestShop) async throws -> [OutboxEntry] {
        try await test.shop.storage.notifications(NotificationQuery(scope: scope))
    }

    @Test("The profile does not change stored data, and payloads of the default profile are unchanged")
    func stored() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("pro", by: "ann")
        func payload() throws -> String {
            let jws = try test.shop.signed(row, environment: .sandbox, app: TestShop.bundleID, at: test.now).text
            return String(jws.split(separator: ".")[1])
        }
        let defaultWords = try payload()
        try await set(.minimal, in: test)
        #expect(try payload() != defaultWords)
        let minimal = try await test.buy("coins", by: "ann")
        #expect(try await test.shop.storage.transaction(row.id) == row)
        try await set(nil, in: test)
        #expect(try payload() == defaultWords)
        let jws = try test.shop.signed(minimal, environment: .sandbox, app: TestShop.bundleID, at: test.now).text
        #expect(try claims(jws)["price"] != nil)
    }

    @Test("The profile survives a restart, and applies to one environment of one app")
    func durable() async throws {
        let test = try await TestShop()
        try await set(.version(8), in: test)
        let again = try await Registry(storage: test.shop.storage)
        #expect(again.payloadProfile(of: scope) == .version(8))
        #expect(again.payloadProfile(of: AccountScope(environment: .production, app: TestShop.bundleID)) == nil)
        #expect(again.payloadProfile(of: AccountScope(environment: .sandbox, app: "com.example.other")) == nil)
    }

    @Test("A notification keeps the profile with which it was created, also when it is sent again")
    func notification() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        try await set(.minimal, in: test)
        try await test.buy("coins", by: "bob")
        let entries = try await notifications(test)
        try await set(.forwardCompatible(seed: 1), in: test)
        let payloads = try await test.signedPayloads(entries)
        #expect(try await test.signedPayloads(entries) == payloads)
        #expect(try payloads.map { try claims($0)["data"]?.hasKey("appAppleId") } == [true, false])
        let inner = entries.compactMap(\.content.transactionInfo).map { String(decoding: $0, as: UTF8.self) }
        #expect(inner.map { $0.contains("\"currency\"") } == [true, false])
    }

    @Test("In the forward-compatible profile, a notification of an unknown type follows every purchase")
    func unknownNotification() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await set(.forwardCompatible(seed: 1), in: test)
        try await test.buy("pro", by: "ann")
        try await test.buy("coins", by: "ann")
        let entries = try await notifications(test)
        #expect(entries.map(\.type) == ["SUBSCRIBED", "TOMORROW", "ONE_TIME_CHARGE", "TOMORROW"])
        #expect(entries.map(\.isTriggered) == [false, true, false, true])
        #expect(Set(entries.map(\.uuid)).count == 4)
        #expect(entries[1].original == entries[0].original && entries[0].id < entries[1].id)
        let payload = try await test.signedPayload(entries[1])
        let notifications = try claims(payload)
        #expect(
            notifications["notificationType"] == .string("TOMORROW")
                && notifications["subtype"] == .string("UNHEARD_OF")
        )
        #expect(notifications["tomorrowFlag"] == .bool(true) && notifications["data"]?.hasKey("tomorrowList") == true)
    }

    @Test("The doctor has no findings in a shop that used every profile")
    func doctor() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        for payloadProfile in [nil, .minimal, .forwardCompatible(seed: 2), .version(0)] as [PayloadProfile?] {
            try await set(payloadProfile, in: test)
            let row = try await test.buy("coins", by: "ann")
            try await test.sandbox.refund(row, by: "ann")
        }
        let findings = await Doctor(test.directory, now: test.now.milliseconds).findings {
            try SQLiteStorage(examining: test.directory.database)
        }
        #expect(findings == [])
    }
}

extension JSONTree {
    fileprivate func hasKey(_ key: String) -> Bool { self[key] != nil }
}
