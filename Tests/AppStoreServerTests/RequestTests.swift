import Foundation
import Testing
import TillJSON

@testable import AppStoreServer

/// What a client sends.
@Suite("The request of each endpoint")
struct RequestTests {
    private struct Endpoint: Sendable, CustomStringConvertible {
        let description: String
        let answer: String
        var status = 200
        let call: @Sendable (AppStoreServerClient) async throws -> Void
        var body: String?
    }

    private static let page = #"{"revision":"r","hasMore":false,"signedTransactions":[]}"#
    private static let token = UUID(uuidString: "6F3B1C1E-0D6A-4C0B-9B2F-0A1B2C3D4E5F") ?? UUID()
    private static let tokenText = "6f3b1c1e-0d6a-4c0b-9b2f-0a1b2c3d4e5f"

    private static let transactions: [Endpoint] = [
        Endpoint(description: "GET /inApps/v2/history/7", answer: page) {
            _ = try await $0.transactionHistory(of: "7")
        },
        Endpoint(
            description: "GET /inApps/v1/history/7?revision=a%2Fb&startDate=1&endDate=2&inAppOwnershipType=PURCHASED"
                + "&revoked=false&sort=DESCENDING&productId=a.b&productId=c%20d&productType=CONSUMABLE"
                + "&subscriptionGroupIdentifier=21",
            answer: page
        ) {
            let filter = TransactionFilter(
                startDate: Timestamp(milliseconds: 1),
                endDate: Timestamp(milliseconds: 2),
                productIds: ["a.b", "c d"],
                productTypes: [.consumable],
                subscriptionGroupIdentifiers: ["21"],
                inAppOwnershipType: .purchased,
                revoked: false,
                sort: .descending
            )
            _ = try await $0.transactionHistory(of: "7", filter: filter, revision: "a/b", version: .v1)
        },
        Endpoint(description: "GET /inApps/v1/transactions/7", answer: #"{"signedTransactionInfo":"a.b.c"}"#) {
            let answer = try await $0.transactionInfo("7")
            #expect(answer.signedTransactionInfo.text == "a.b.c")
        },
        Endpoint(description: "POST /inApps/v1/transactions/7/finish", answer: "") {
            try await $0.finishTransaction("7")
        },
        Endpoint(
            description: "PUT /inApps/v1/transactions/7/appAccountToken",
            answer: "",
            call: { try await $0.setAppAccountToken(token, of: "7") },
            body: #"{"appAccountToken":"\#(tokenText)"}"#
        ),
        Endpoint(
            description: "GET /inApps/v1/transactions/appTransactions/7",
            answer: #"{"signedAppTransactionInfo":"a.b.c"}"#
        ) { _ = try await $0.appTransactionInfo(of: "7") },
        Endpoint(description: "GET /inApps/v1/lookup/M%C3%9C", answer: #"{"status":1}"#) {
            let order = try await $0.lookUpOrder("MÜ")
            #expect(order.status == .invalid && order.signedTransactions.isEmpty)
        },
        Endpoint(description: "GET /inApps/v2/refund/lookup/7?revision=r", answer: page) {
            _ = try await $0.refundHistory(of: "7", revision: "r")
        },
        Endpoint(description: "GET /inApps/v1/refund/lookup/7", answer: #"{"signedTransactions":[]}"#) {
            _ = try await $0.refundHistoryV1(of: "7")
        },
        Endpoint(
            description: "PUT /inApps/v2/transactions/consumption/7",
            answer: "",
            status: 202,
            call: {
                let request = ConsumptionRequest(
                    customerConsented: true,
                    deliveryStatus: .wrongItem,
                    sampleContentProvided: false,
                    refundPreference: .grantFull
                )
                try await $0.sendConsumptionInformation(request, of: "7")
            },
            body: #"{"customerConsented":true,"deliveryStatus":"UNDELIVERED_WRONG_ITEM","sampleContentProvided":false,"#
                + #""refundPreference":"GRANT_FULL"}"#
        ),
        Endpoint(
            description: "PUT /inApps/v1/transactions/consumption/7",
            answer: "",
            status: 202,
            call: {
                var request = ConsumptionRequestV1(
                    customerConsented: true,
                    sampleContentProvided: true,
                    deliveryStatus: .other
                )
                request.accountTenure = .over365
                try await $0.sendConsumptionInformationV1(request, of: "7")
            },
            body: #"{"customerConsented":true,"sampleContentProvided":true,"consumptionStatus":0,"platform":0,"#
                + #""deliveryStatus":5,"appAccountToken":"","accountTenure":7,"playTime":0,"#
                + #""lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,"userStatus":0}"#
        ),
    ]

    private static let subscriptions: [Endpoint] = [
        Endpoint(description: "GET /inApps/v1/subscriptions/7?status=1&status=4", answer: #"{"data":[]}"#) {
            _ = try await $0.subscriptionStatuses(of: "7", in: [.active, .gracePeriod])
        },
        Endpoint(
            description: "PUT /inApps/v1/subscriptions/extend/7",
            answer: #"{"success":true,"effectiveDate":5}"#,
            call: {
                let request = ExtendRenewalDateRequest(
                    extendByDays: 90,
                    extendReasonCode: .serviceIssue,
                    requestIdentifier: "mine"
                )
                let answer = try await $0.extendRenewalDate(of: "7", request)
                #expect(answer.effectiveDate?.milliseconds == 5)
            },
            body: #"{"extendByDays":90,"extendReasonCode":3,"requestIdentifier":"mine"}"#
        ),
        Endpoint(
            description: "POST /inApps/v1/subscriptions/extend/mass",
            answer: #"{"requestIdentifier":"x"}"#,
            call: {
                let request = MassExtendRenewalDateRequest(
                    productId: "pro",
                    extendByDays: 1,
                    extendReasonCode: .other,
                    requestIdentifier: token,
                    storefrontCountryCodes: ["USA"]
                )
                _ = try await $0.extendRenewalDateForAllActiveSubscribers(request)
            },
            body: #"{"extendByDays":1,"extendReasonCode":2,"requestIdentifier":"\#(tokenText)","productId":"pro","#
                + #""storefrontCountryCodes":["USA"]}"#
        ),
        Endpoint(
            description: "GET /inApps/v1/subscriptions/extend/mass/pro/\(tokenText)",
            answer: #"{"complete":false}"#
        ) { _ = try await $0.renewalDateExtensionStatus(productId: "pro", requestIdentifier: token) },
    ]

    private static let notifications: [Endpoint] = [
        Endpoint(
            description: "POST /inApps/v1/notifications/history?paginationToken=t",
            answer: #"{"hasMore":false,"notificationHistory":[]}"#,
            call: {
                let request = NotificationHistoryRequest(
                    startDate: Timestamp(milliseconds: 1),
                    endDate: Timestamp(milliseconds: 2),
                    filter: .type(.known(.expired), .known(.voluntary), onlyFailures: true)
                )
                _ = try await $0.notificationHistory(request, paginationToken: "t")
            },
            body: #"{"startDate":1,"endDate":2,"notificationType":"EXPIRED","notificationSubtype":"VOLUNTARY","#
                + #""onlyFailures":true}"#
        ),
        Endpoint(description: "POST /inApps/v1/notifications/test", answer: #"{"testNotificationToken":"t"}"#) {
            let answer = try await $0.requestTestNotification()
            #expect(answer.testNotificationToken == "t")
        },
        Endpoint(description: "GET /inApps/v1/notifications/test/t_1", answer: #"{"signedPayload":"a.b.c"}"#) {
            let answer = try await $0.testNotificationStatus("t_1")
            #expect(answer.sendAttempts.isEmpty)
        },
    ]

    @Test("Each endpoint has its method, path, query and body", arguments: transactions + subscriptions + notifications)
    private func requests(endpoint: Endpoint) async throws {
        let server = FakeServer(TransportResponse(status: endpoint.status, body: Array(endpoint.answer.utf8)))
        try await endpoint.call(try server.client(.custom("http://till/")))
        let request = try #require(server.requests.first)
        #expect(request.method + " " + request.url.dropFirst("http://till".count) == endpoint.description)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == endpoint.body)
        let names = request.headers.map(\.name)
        #expect(names.contains("Authorization") && names.contains("Content-Type") == (endpoint.body != nil))
        #expect(server.requests.count == 1)
    }

    @Test("The limits of a request are those of the options")
    func limits() async throws {
        let server = FakeServer(.transactionInfo)
        let client = try server.client {
            $0.attemptTimeout = .seconds(7)
            $0.userAgent = "shop/1"
        }
        _ = try await client.transactionInfo("1")
        #expect(server.timeouts == [.seconds(7)])
        #expect(server.requests[0].headers.contains { $0 == ("User-Agent", "shop/1") })
    }
}
