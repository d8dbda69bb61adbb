import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Sends receipts of single transactions to verifyReceipt, and receipts with the shared secrets of teams and apps.
@Suite("Receipts of single transactions, and shared secrets")
struct SingleReceiptRouteTests {
    private static let secret = VerifyReceiptRouteTests.secret
    private static let keys: Set = [
        "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst", "unique_identifier",
        "original_transaction_id", "bvrs", "transaction_id", "quantity", "unique_vendor_identifier", "product_id",
        "item_id", "bid", "purchase_date", "purchase_date_ms", "purchase_date_pst",
    ]

    private static func status(_ answer: AppleRoutes.Answer) throws -> Int64? { try answer.json["status"]?.number }

    @Test("The answer to the receipt of a one-time purchase is flat, and its secret is checked")
    func oneTime() async throws {
        try await VerifyReceiptRouteTests.run { shop in
            let buy = BuyProduct(app: shop.app, customer: "eve", productId: "coins", quantity: 3)
            let coins = try #require(try await shop.control.send(buy).transaction).transactionId
            let single = try await shop.single(coins)
            let answer = try await shop.verify(single).json
            #expect(Set(answer.members.map(\.key)) == ["status", "receipt"] && answer["status"]?.number == 0)
            let receipt = try #require(answer["receipt"])
            #expect(Set(receipt.members.map(\.key)) == Self.keys && receipt.text("quantity") == "3")
            #expect(try Self.status(try await shop.verify(single, "wrong")) == 21_004)
        }
    }

    @Test("The receipt of a subscription has the latest period, and 21006 when the subscription has ended")
    func subscriptions() async throws {
        try await VerifyReceiptRouteTests.run { shop in
            let first = try await shop.buy("basic", by: "dan")
            let second = try await shop.buy("pro", by: "dan")
            let running = try await shop.verify(try await shop.single(first.transactionId), Self.secret).json
            #expect(running["receipt"]?.text("transaction_id") == first.transactionId)
            let latest = running["latest_receipt_info"]
            #expect(latest?.text("transaction_id") == second.transactionId)
            #expect(latest?.text("original_transaction_id") == first.transactionId)
            let expires = latest?.text("expires_date").flatMap { Int64($0) } ?? 0
            #expect(expires > shop.control.test.now.milliseconds)
            let lapsed = try await shop.lapsed("pro", by: "eve").transactionId
            let single = try await shop.single(lapsed)
            let answer = try await shop.verify(single, Self.secret)
            let json = try answer.json
            let keys = [
                "status", "receipt", "auto_renew_status", "auto_renew_product_id", "expiration_intent",
                "is_in_billing_retry_period", "latest_expired_receipt_info",
            ]
            #expect(Set(json.members.map(\.key)) == Set(keys))
            #expect(json["status"]?.number == 21_006 && json["auto_renew_status"]?.number == 0)
            #expect(json.text("expiration_intent") == "1" && json.text("is_in_billing_retry_period") == "0")
            #expect(json["latest_expired_receipt_info"]?.text("transaction_id") == lapsed)
            #expect(try await shop.apple.entry(of: answer).code == 21_006)
            #expect(try Self.status(try await shop.verify(single)) == 21_004)
            let whole = try await shop.verify(try await shop.receipt(of: "eve"), Self.secret)
            #expect(try Self.status(whole) == 0, "app receipts do not have this status")
        }
    }

    @Test("A modified receipt of a transaction is refused")
    func modified() async throws {
        try await VerifyReceiptRouteTests.run(in: [.sandbox]) { shop in
            let coins = try await shop.buy("coins", by: "bob").transactionId
            let bytes = try #require(Base64.decode(try await shop.single(coins)))
            let text = String(decoding: bytes, as: UTF8.self)
            let changes = [
                text.replacing(#""Sandbox""#, with: #""Production""#),
                text.replacing("\t\"environment\" = \"Sandbox\";\n", with: ""),
                text.replacing(#""100""#, with: #""101""#), text + "\n",
                text.replacing(#""signing-status""#, with: "\"more\" = \"1\";\n\t\"signing-status\""),
            ]
            let production = AppServer(control: shop.control, environment: .production)
            for changed in changes {
                #expect(changed != text)
                for routes in [shop, production] {
                    let status = try Self.status(try await routes.verify(Base64.encode(Array(changed.utf8))))
                    #expect([21_002, 21_003, 21_007, 21_008, 21_010].contains(status), "\(changed)")
                }
            }
        }
    }

    // MARK: Shared secrets

    @Test("An app's own secret replaces that of its team")
    func secrets() async throws {
        try await AppServer.run { shop in
            let control = shop.control
            try await shop.buy("pro", by: "ann")
            try await shop.buy("coins", by: "bob")
            let ann = try await shop.receipt(of: "ann")
            let bob = try await shop.receipt(of: "bob")
            func statuses(_ ofAnn: String?, _ ofBob: String?) async throws -> [Int64?] {
                [
                    try Self.status(try await shop.verify(ann, ofAnn)),
                    try Self.status(try await shop.verify(bob, ofBob)),
                ]
            }
            let get = GetSharedSecret(bundleId: TestShop.bundleID)
            let none = SharedSecretInfo(from: .none)
            #expect(try await control.send(get).json == none.json)
            let refused = try await shop.verify(ann, "x")
            #expect(try Self.status(refused) == 21_004)
            #expect(try await shop.apple.entry(of: refused).explanation.contains("till secret create"))
            #expect(try await statuses(nil, nil) == [21_004, 0])
            let issuer = control.test.app.issuerID
            let set = SetPrimarySharedSecret(issuerId: issuer, sharedSecret: "of-the-team")
            let primary = SharedSecretInfo(sharedSecret: "of-the-team", from: .team)
            #expect(try await control.send(set).json == primary.json)
            #expect(try await control.send(get).json == primary.json)
            #expect(try await statuses("of-the-team", "of-the-team") == [0, 0])
            let own = try #require(try await control.send(SetSharedSecret(bundleId: TestShop.bundleID)).sharedSecret)
            #expect(own.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(try await statuses(own, nil) == [0, 0])
            #expect(try await statuses("of-the-team", "of-the-team") == [21_004, 21_004])
            let renewed = try await control.send(SetSharedSecret(bundleId: TestShop.bundleID))
            #expect(renewed.from == .app)
            #expect(try await statuses(own, nil) == [21_004, 0])
            #expect(try await statuses(renewed.sharedSecret, nil) == [0, 0])
            let removal = SetSharedSecret(bundleId: TestShop.bundleID, remove: true)
            #expect(try await control.send(removal).json == primary.json)
            #expect(try await statuses(renewed.sharedSecret, nil) == [21_004, 0])
            #expect(try await statuses("of-the-team", nil) == [0, 0])
            let primaryRemoval = SetPrimarySharedSecret(issuerId: issuer, remove: true)
            #expect(try await control.send(primaryRemoval).json == none.json)
            #expect(try await control.send(get).json == none.json)
            #expect(try await statuses("of-the-team", nil) == [21_004, 0])
        }
    }

    @Test("An invalid secret is refused, and a receipt of another app needs that app's secret")
    func invalidSecrets() async throws {
        try await VerifyReceiptRouteTests.run(in: [.sandbox]) { shop in
            let control = shop.control
            let issuer = control.test.app.issuerID
            for secret in ["", " ", "a b", String(repeating: "x", count: 129), "é", "a\n"] {
                let own = SetSharedSecret(bundleId: TestShop.bundleID, sharedSecret: secret)
                try await control.expectRefusal(400, "bad_secret", of: own)
                let primary = SetPrimarySharedSecret(issuerId: issuer, sharedSecret: secret)
                try await control.expectRefusal(400, "bad_secret", of: primary)
            }
            let unknown = SetPrimarySharedSecret(issuerId: UUID().uuidString.lowercased())
            try await control.expectRefusal(404, "unknown_team", of: unknown)
            _ = try await control.addNeighbour()
            let set = SetSharedSecret(bundleId: "com.neighbour")
            let theirs = try #require(try await control.send(set).sharedSecret)
            let neighbour = AppEnvironment("com.neighbour")
            try await control.buy("pro", by: "ann", in: neighbour)
            let receipt = try await control.send(GetReceipt(app: neighbour, customer: "ann")).receipt
            #expect(try Self.status(try await shop.verify(receipt, Self.secret)) == 21_004)
            let answer = try await shop.verify(receipt, theirs).json
            #expect(answer["status"]?.number == 0 && answer["receipt"]?.text("bundle_id") == "com.neighbour")
        }
    }
}
