import Foundation
import Testing

@testable import AppStoreServer

/// Payloads and answers with and without keys that the library knows.
@Suite("Payloads keep everything")
struct ClientPayloadTests {
    private static let subscription = #"""
        {"transactionId":"2000000900000002","originalTransactionId":"2000000900000001",
         "webOrderLineItemId":"2000000100000002","bundleId":"com.example.app","productId":"pro",
         "subscriptionGroupIdentifier":"20450880","purchaseDate":1750000000000,"originalPurchaseDate":1749999700000,
         "expiresDate":1750000300000,"quantity":1,"type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED",
         "signedDate":1750000012345,"environment":"Sandbox","transactionReason":"RENEWAL","storefront":"USA",
         "storefrontId":"143441","price":4990,"currency":"USD","appTransactionId":"704000000000000001",
         "appAccountToken":"6f3b1c1e-0d6a-4c0b-9b2f-0a1b2c3d4e5f","offerType":4,"offerDiscountType":"FREE_TRIAL",
         "commitmentInfo":{"billingPeriodNumber":2,"totalBillingPeriods":12},
         "advancedCommerceInfo":{"taxRate":"0","items":[{"SKU":"a","price":1,"refunds":[{"refundType":"FULL"}]}]}}
        """#

    @Test("The payload of a transaction has its typed values")
    func transaction() throws {
        let payload = try SignedTransaction(unsigned(Self.subscription)).unverifiedPayload()
        #expect(payload.transactionId == "2000000900000002" && payload.environment == .known(.sandbox))
        #expect(payload.type == .autoRenewable && payload.transactionReason == .renewal && payload.price == 4_990)
        #expect(payload.expiresDate?.milliseconds == 1_750_000_300_000 && payload.offerType == .winBack)
        #expect(payload.appAccountToken?.uuidString == "6F3B1C1E-0D6A-4C0B-9B2F-0A1B2C3D4E5F")
        #expect(!payload.isUpgraded && payload.revocationDate == nil && payload.quantity == 1)
        #expect(payload.commitmentInfo?.totalBillingPeriods == 12)
        let item = try #require(payload.advancedCommerceInfo?.items.first)
        #expect(item.sku == "a" && item.refunds.first?.refundType == "FULL" && item.offer == nil)
    }

    @Test("Unknown keys and values are kept, and encoding a payload gives the same text")
    func unknown() throws {
        let text =
            #"{"future":{"deep":[1.50,1e3,null]},"transactionId":"1","originalTransactionId":"1","#
            + #""bundleId":"b","productId":"p","purchaseDate":1,"signedDate":2,"environment":"Moon","#
            + #""type":"Rental","price":123456789012345678,"offerType":9}"#
        let payload = try TransactionPayload(json: text)
        #expect(payload.environment == .unknown("Moon") && payload.type == .unknown("Rental"))
        #expect(payload.offerType == .unknown(9) && payload.offerType?.known == nil)
        #expect(payload.raw.json == text && payload.raw.keys.first == "future")
        #expect(try payload.raw.decode([String: [Double?]].self, at: "future") == ["deep": [1.5, 1_000, nil]])
        #expect(try payload.raw.decode(String.self, at: "absent") == nil)
        let encoded = try JSONEncoder().encode(payload)
        let again = try JSONDecoder().decode(TransactionPayload.self, from: encoded)
        #expect(again.price == 123_456_789_012_345_678 && Set(again.raw.keys) == Set(payload.raw.keys))
    }

    @Test("A payload without a required key, and a text that is not a JWS, are errors that name what is missing")
    func missing() {
        #expect(throws: MalformedObject("the key originalTransactionId is missing")) {
            try TransactionPayload(json: #"{"transactionId":"1"}"#)
        }
        for text in ["", "a.b", "a.b.c.d", "a.!!!.c", unsigned("[]"), unsigned("{")] {
            #expect(throws: MalformedObject.self, "\(text)") { try SignedTransaction(text).unverifiedPayload() }
        }
    }

    @Test("The payloads of the first version of the API, without an environment, are read")
    func oldest() throws {
        let text =
            #"{"transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","#
            + #""purchaseDate":1,"signedDate":2}"#
        #expect(try TransactionPayload(json: text).environment == nil)
        let renewal = #"{"originalTransactionId":"1","autoRenewStatus":1,"signedDate":2}"#
        #expect(try RenewalInfoPayload(json: renewal).autoRenewStatus == .on)
    }

    @Test("Xcode's fractions of milliseconds and negative dates are read")
    func xcode() throws {
        let app =
            #"{"receiptType":"Xcode","bundleId":"b","originalPurchaseDate":-62135769600000,"#
            + #""receiptCreationDate":1697679936049.7297}"#
        let payload = try AppTransactionPayload(json: app)
        #expect(
            payload.receiptType == .known(.xcode) && payload.originalPurchaseDate?.milliseconds == -62_135_769_600_000
        )
        #expect(payload.receiptCreationDate?.milliseconds == 1_697_679_936_049)
    }

    @Test("Notifications have a purchase, a summary, a token or an app, and unknown types are kept")
    func notifications() throws {
        let data =
            #"{"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","notificationUUID":"u","version":"2.0","#
            + #""signedDate":1,"data":{"environment":"Production","appAppleId":7,"status":1,"#
            + #""signedTransactionInfo":"\#(unsigned(Self.subscription))"}}"#
        let renewed = try SignedNotification(unsigned(data)).unverifiedPayload()
        #expect(renewed.notificationType == .known(.didRenew) && renewed.subtype == .billingRecovery)
        #expect(renewed.data?.status == .active && renewed.data?.appAppleId == 7 && renewed.summary == nil)
        #expect(try renewed.data?.signedTransactionInfo?.unverifiedPayload().productId == "pro")
        let other =
            #"{"notificationType":"NEW","subtype":"NEWER","notificationUUID":"u","#
            + #""summary":{"requestIdentifier":"r","succeededCount":3},"#
            + #""externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1"},"appData":{"environment":"Sandbox"}}"#
        let unknown = try NotificationPayload(json: other)
        #expect(unknown.notificationType == .unknown("NEW") && unknown.subtype == .unknown("NEWER"))
        #expect(unknown.summary?.succeededCount == 3 && unknown.appData?.environment == .known(.sandbox))
        #expect(unknown.externalPurchaseToken?.externalPurchaseId == "SANDBOX_1" && unknown.raw.json == other)
    }

    @Test("Statuses have groups with subscriptions, and an unknown status is kept")
    func statuses() throws {
        let item =
            #"{"originalTransactionId":"1","status":6,"signedTransactionInfo":"a.b.c","signedRenewalInfo":"#
            + #""\#(unsigned(#"{"originalTransactionId":"1","autoRenewStatus":2,"signedDate":1,"environment":"Sandbox","expirationIntent":2}"#))"}"#
        let text = #"{"data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[\#(item)]}]}"#
        let response = try StatusResponse(json: text)
        let last = try #require(response.data.first?.lastTransactions.first)
        #expect(last.status == .unknown(6) && response.raw.json == text)
        let renewal = try last.signedRenewalInfo.unverifiedPayload()
        #expect(renewal.autoRenewStatus == .unknown(2) && renewal.expirationIntent == .billing)
        #expect(renewal.eligibleWinBackOfferIds.isEmpty && !renewal.isInBillingRetryPeriod)
    }

    @Test("A transaction with another form is an error, and is not left out")
    func lost() {
        for list in [#"["a.b.c",7]"#, "7", "{}"] {
            let text = #"{"revision":"r","hasMore":false,"signedTransactions":\#(list)}"#
            #expect(throws: MalformedObject.self) { try HistoryResponse(json: text) }
        }
    }

    @Test("verifyReceipt's texts are read as dates, numbers and booleans, in arrays and in the old form")
    func receipts() throws {
        let modern = try VerifyReceiptResponse(
            json: #"""
                {"status":0,"environment":"Production","latest_receipt_info":[{"transaction_id":"1","product_id":"p",
                 "quantity":"2","purchase_date":"2020-07-14 19:36:40 Etc/GMT","purchase_date_ms":"1594755400000",
                 "is_trial_period":"true","cancellation_reason":"1","in_app_ownership_type":"FAMILY_SHARED"}],
                 "pending_renewal_info":[{"product_id":"p","auto_renew_status":"0","expiration_intent":"1",
                 "is_in_billing_retry_period":"0"}],"receipt":{"adam_id":7,"in_app":[]}}
                """#
        )
        let item = try #require(modern.latestReceiptInfo.first)
        #expect(item.purchaseDate?.milliseconds == 1_594_755_400_000 && item.quantity == 2 && item.isTrialPeriod)
        #expect(item.cancellationReason == .issueInApp && item.inAppOwnershipType == .familyShared)
        let renewal = try #require(modern.pendingRenewalInfo.first)
        #expect(renewal.autoRenewStatus == .off && renewal.expirationIntent == .customer)
        #expect(!renewal.isInBillingRetryPeriod && modern.receipt?.appItemId == 7)
        let old = try VerifyReceiptResponse(
            json: #"""
                {"status":21006,"latest_expired_receipt_info":{"transaction_id":"1","product_id":"p",
                 "expires_date":"1594755400000","expires_date_formatted":"2020-07-14 19:36:40 Etc/GMT"}}
                """#
        )
        #expect(old.status == .known(.subscriptionExpired))
        #expect(old.latestReceiptInfo.first?.expiresDate?.milliseconds == 1_594_755_400_000)
    }
}
