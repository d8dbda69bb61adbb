import Foundation
import Testing
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("Signed payloads, key by key")
struct PayloadTests {
    /// The payload of a compact JWS, as text.
    private func payload(_ jws: SignedText) throws -> String {
        let parts = jws.text.split(separator: ".")
        let bytes = try #require(Base64URL.decode(String(parts[1])))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The transaction of a subscription has exactly these keys in this order")
    func subscription() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("pro", by: "ann")
        let jws = try test.shop.signed(row, environment: .sandbox, app: TestShop.bundleID, at: test.now)
        let item = try #require(row.lineItem)
        #expect(
            try payload(jws) == """
                {"transactionId":"\(row.id.number)","originalTransactionId":"\(row.id.number)",\
                "webOrderLineItemId":"\(item)","bundleId":"com.example.shop","productId":"pro",\
                "subscriptionGroupIdentifier":"20450880","purchaseDate":1767225600000,\
                "originalPurchaseDate":1767225600000,"expiresDate":1767830400000,"quantity":1,\
                "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":1767225600000,\
                "offerType":1,"environment":"Sandbox","transactionReason":"PURCHASE","storefront":"USA",\
                "storefrontId":"143441","price":0,"currency":"USD","offerDiscountType":"FREE_TRIAL",\
                "appTransactionId":"\(row.account.number)","offerPeriod":"P1W"}
                """
        )
    }

    @Test("A refunded consumable has the revocation keys and no other additional keys")
    func refunded() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let bought = try await test.buy("coins", by: "ann", quantity: 3, in: .production)
        test.advance(1_500)
        let outcome = try await test.shop.perform(
            .refund(Refund(transaction: bought.id, share: .part(50_000), reason: .issueInApp)),
            by: test.customer("ann", in: .production)
        )
        let row = try #require(outcome.transaction)
        let text = try payload(test.shop.signed(row, environment: .production, app: TestShop.bundleID, at: test.now))
        #expect(
            text.contains(
                #""signedDate":1767225601500,"revocationReason":1,"revocationDate":1767225601000,"#
                    + #""environment":"Production""#
            )
        )
        #expect(text.hasSuffix(#""revocationType":"REFUND_PRORATED","revocationPercentage":50000}"#))
        for absent in ["null", "expiresDate", "webOrderLineItemId", "isUpgraded", "offer", "appAccountToken", "device"]
        {
            #expect(!text.contains(absent))
        }
    }

    @Test("A signature date is never earlier than the last change of the transaction")
    func signedDate() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("coins", by: "ann")
        let early = row.modifiedDate.advanced(milliseconds: -5_000)
        let text = try payload(test.shop.signed(row, environment: .sandbox, app: TestShop.bundleID, at: early))
        #expect(text.contains("\"signedDate\":\(row.modifiedDate.milliseconds)"))
    }

    @Test("The renewal info of a trial has the next price and no offer")
    func renewalInfo() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("pro", by: "ann")
        let found = try await test.shop.storage.account(row.account)
        let account = try #require(found)
        let subscription = try #require(account.subscriptions.first)
        let text = try payload(test.shop.signedRenewalInfo(of: subscription, held: account, at: test.now))
        #expect(
            text == """
                {"originalTransactionId":"\(row.id.number)","autoRenewProductId":"pro","productId":"pro",\
                "autoRenewStatus":1,"renewalPrice":4990,"currency":"USD","signedDate":1767225600000,\
                "environment":"Sandbox","recentSubscriptionStartDate":1767225600000,"renewalDate":1767830400000,\
                "appTransactionId":"\(row.account.number)"}
                """
        )
    }

    @Test("An app transaction has its environment in receiptType, and additional keys on the device")
    func appTransaction() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let account = try await test.shop.openAccount(test.customer("ann"), Opening()).account
        let text = try payload(try #require(try test.shop.signedAppTransaction(of: account, at: test.now)))
        #expect(
            text == """
                {"receiptType":"Sandbox","appAppleId":1234567890,"bundleId":"com.example.shop",\
                "receiptCreationDate":1767225600000,"originalPurchaseDate":1767225600000,\
                "originalApplicationVersion":"1.0","appTransactionId":"\(account.id.number)","originalPlatform":"iOS"}
                """
        )
        let device = UUID()
        let handed = try payload(
            try #require(try test.shop.appTransactionSignedOnDevice(account, device: device, at: test.now))
        )
        for key in ["applicationVersion", "deviceVerification", "deviceVerificationNonce", "requestDate"] {
            #expect(handed.contains("\"\(key)\":"))
        }
        var opening = Opening()
        opening.downloadsApp = false
        let bare = try await test.shop.openAccount(test.customer("eve"), opening).account
        #expect(try test.shop.signedAppTransaction(of: bare, at: test.now) == nil)
    }

    @Test("Characters are escaped only where JSON requires it")
    func escaping() {
        var json = JSONWriter()
        json.put("a", "\"\\/\u{1}\n\u{7f}é😀")
        json.put("b", nil as String?)
        json.put("c", Int64.min)
        json.put("d", ["x", "\""])
        #expect(
            String(decoding: json.finish(), as: UTF8.self)
                == "{\"a\":\"\\\"\\\\/\\u0001\\u000a\u{7f}é😀\",\"c\":-9223372036854775808,\"d\":[\"x\",\"\\\"\"]}"
        )
    }
}
