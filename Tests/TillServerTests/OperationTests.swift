import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TillCore
import TillJSON
import TillServer
import TillShop
import TillTestSupport

/// Checks operations of customers and operators through the control API, and their answers.
@Suite("Operations on the control API")
struct OperationTests {
    private let control = ControlTests()

    @Test("A purchase of an owned product returns 200 with the original purchase")
    func alreadyOwned() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await control.withControl(test) { client in
            let path = "/v1/apps/com.example.shop/sandbox/customers/ann/purchases"
            let first = try await control.send(client, .post, path, #"{"productId":"skin"}"#)
            #expect(first.status == 201)
            let second = try await control.send(
                client,
                .post,
                path,
                #"{"productId":"skin","price":5,"currency":"EUR"}"#
            )
            #expect(second.status == 200)
            let bought = try JSONTree.parse(Array(first.body.utf8))["transaction"]
            let answer = try JSONTree.parse(Array(second.body.utf8))
            let owned = answer["transaction"]
            for key in ["transactionId", "originalTransactionId", "purchaseDate", "price", "currency"] {
                #expect(bought?[key] == owned?[key] && owned?[key] != nil, "\(key)")
            }
            #expect(answer["events"]?.elements.map(\.text) == ["alreadyOwned"])
            #expect(answer["notifications"]?.elements.isEmpty == true)
            let bad = try await control.send(client, .post, path, #"{"productId":"coins","price":5,"currency":"eur"}"#)
            #expect(bad.status == 400 && bad.body.contains("bad_currency"))
        }
    }

    @Test("An operation with a date after the clock's time is a conflict")
    func laterThanClock() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("pro", by: "ann")
        let skin = try await test.buy("skin", by: "ann")
        let at = test.now.milliseconds + 1_000
        try await control.withControl(test) { client in
            let scope = "/v1/apps/com.example.shop/sandbox"
            let subscription = "\(scope)/subscriptions/\(row.id.number)"
            let transaction = "\(scope)/transactions/\(skin.id.number)"
            let cases = [
                ("\(scope)/customers", #""customer":"bob","#),
                ("\(scope)/customers/ann/purchases", #""productId":"coins","#),
                ("\(scope)/customers/ann", #""card":"declined","#), ("\(scope)/customers/ann", #""asksToBuy":true,"#),
                ("\(scope)/customers/ann", #""clock":"","#),
                ("\(subscription)/cancel", ""), ("\(subscription)/resume", ""),
                ("\(subscription)/change", #""productId":"pro","#), ("\(subscription)/extend", #""days":3,"#),
                ("\(subscription)/price-increase/accept", ""), ("\(subscription)/price-increase/decline", ""),
                ("\(transaction)/refund", ""), ("\(transaction)/refund/reverse", ""),
                ("\(transaction)/refund/request", ""), ("\(transaction)/refund/decline", ""),
            ]
            for (path, members) in cases {
                let method: HTTPRequest.Method = path.hasSuffix("/ann") ? .patch : .post
                let answer = try await control.send(client, method, path, "{\(members)\"at\":\(at)}")
                #expect(answer.status == 409, "\(path)")
                #expect(answer.body.contains(#""code":"later_than_clock""#), "\(path): \(answer.body)")
            }
        }
    }

    @Test("A notification that the operator sends names the app, a customer or a transaction, as its type requires")
    func notificationsByHand() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("coins", by: "ann")
        try await control.withControl(test) { client in
            let path = "/v1/apps/com.example.shop/sandbox/notifications"
            func trigger(_ members: String) async throws -> JSONTree {
                let answer = try await control.send(client, .post, path, "{\(members)}")
                #expect(answer.status == 201, "\(answer.body)")
                let made = try JSONTree.parse(Array(answer.body.utf8))
                let one = try await control.send(client, .get, "\(path)/\(made["notificationUUID"]?.text ?? "")")
                return try JSONTree.parse(Array(one.body.utf8))
            }
            for subtype in ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"] {
                let shown = try await trigger(#""type":"EXTERNAL_PURCHASE_TOKEN","subtype":"\#(subtype)""#)
                #expect(shown["customer"] == nil && shown["transactionId"] == nil)
                let token = try #require(shown["payload"]?["externalPurchaseToken"])
                let isOfLink = subtype != "UNREPORTED"
                #expect(
                    token.members.map(\.key) == ["externalPurchaseId", "tokenCreationDate", "appAppleId", "bundleId"]
                        + (isOfLink ? ["tokenType", "tokenExpirationDate"] : [])
                )
                #expect(token["tokenType"]?.text == (isOfLink ? "ACQUISITION" : nil))
                let expires = token["tokenExpirationDate"]?.number
                #expect((expires ?? .max) > test.now.milliseconds)
            }
            let rescinded = try await trigger(#""type":"RESCIND_CONSENT","customer":"ann""#)
            #expect(rescinded["customer"]?.text == "ann" && rescinded["transactionId"] == nil)
            #expect(rescinded["payload"]?["appData"] != nil)
            let id = row.id.number
            let refused = [
                (#""type":"RESCIND_CONSENT""#, 400, "customer_missing"),
                (#""type":"RESCIND_CONSENT","customer":"bob""#, 404, "unknown_account"),
                (#""type":"REFUND""#, 400, "transaction_missing"),
                (#""type":"REFUND","customer":"ann""#, 400, "transaction_missing"),
                (#""type":"REFUND","transactionId":"\#(id)","customer":"bob""#, 400, "bad_customer"),
                (#""type":"EXTERNAL_PURCHASE_TOKEN""#, 409, "not_triggered"),
            ]
            for (members, status, code) in refused {
                let answer = try await control.send(client, .post, path, "{\(members)}")
                #expect(answer.status == status && answer.body.contains(code), "\(members): \(answer.body)")
            }
        }
    }
}
