import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

/// Checks what the App Store Server API returns about the shared purchases of family members.
@Suite("Copies of shared purchases, in signed data")
struct FamilyCopyControlTests {
    private static let members = ["bob", "cat"]

    /// Runs a test in each environment with a family of three, whose organizer is ann.
    private static func run(_ body: @escaping @Sendable (TypedControl, AppEnvironment) async throws -> Void)
        async throws
    {
        for environment in StoreEnvironment.allCases {
            try await TypedControl.run { control in
                let app = AppEnvironment(TestShop.bundleID, environment)
                _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: members))
                try await body(control, app)
            }
        }
    }

    private static func id(of customer: String, _ control: TypedControl, _ app: AppEnvironment) async throws -> String {
        try await control.send(GetCustomer(app: app, customer: customer)).appTransactionId
    }

    @Test("Members get copies with their own ids, and without price, order and app account token")
    func copies() async throws {
        try await Self.run { control, app in
            let token = "c0ffee00-0000-4000-8000-000000000001"
            let request = BuyProduct(app: app, customer: "ann", productId: "skin", appAccountToken: token)
            let bought = try #require(try await control.send(request).transaction)
            var seen: Set<String?> = [bought.transactionId]
            for member in Self.members {
                let copies = try await control.history(of: member, in: app)
                #expect(copies.count == 1)
                let copy = try #require(copies.first)
                #expect(copy["inAppOwnershipType"]?.text == "FAMILY_SHARED" && copy["productId"]?.text == "skin")
                let id = try #require(copy["transactionId"]?.text)
                #expect(copy["originalTransactionId"]?.text == id && seen.insert(id).inserted)
                #expect(copy["appTransactionId"]?.text == (try await Self.id(of: member, control, app)))
                for key in ["price", "currency", "appAccountToken"] { #expect(copy[key] == nil, "\(key)") }
                #expect((copy["purchaseDate"]?.number ?? 0) >= bought.purchaseDate.milliseconds)
                let answer = try await control.apple(.get, "/inApps/v1/transactions/\(id)", in: app.environment)
                let info = try control.payload(of: answer.json["signedTransactionInfo"]?.text)
                #expect(info.withoutSigningDate == copy.withoutSigningDate)
                let shown = try await control.send(GetTransaction(app: app, transactionId: id))
                #expect(shown.orderId == nil)
            }
            let own = try await control.history(of: "ann", in: app)
            #expect(own.map { $0["inAppOwnershipType"]?.text } == ["PURCHASED"])
            let order = try #require(bought.orderId)
            let found = try await control.apple(.get, "/inApps/v1/lookup/\(order)", in: app.environment)
            let ids = try found.signedTransactions.map { try control.payload(of: $0)["transactionId"]?.text }
            #expect(ids == [bought.transactionId])
        }
    }

    @Test("A shared subscription is in the statuses of each member, with the purchaser's dates")
    func subscriptions() async throws {
        try await Self.run { control, app in
            let bought = try await control.buy("basic", by: "ann", in: app, offer: .noOffer)
            for member in Self.members {
                let account = try await Self.id(of: member, control, app)
                let path = "/inApps/v1/subscriptions/\(account)"
                let answer = try await control.apple(.get, path, in: app.environment)
                let groups = answer.json["data"]?.elements ?? []
                let latest = groups.flatMap { $0["lastTransactions"]?.elements ?? [] }
                #expect(groups.map { $0["subscriptionGroupIdentifier"]?.text } == ["20450880"] && latest.count == 1)
                let last = try #require(latest.first)
                #expect(last["status"] == .number("1"))
                let copy = try control.payload(of: last["signedTransactionInfo"]?.text)
                let renewal = try control.payload(of: last["signedRenewalInfo"]?.text)
                let original = try #require(copy["originalTransactionId"]?.text)
                #expect(last["originalTransactionId"]?.text == original && original != bought.transactionId)
                #expect(renewal["originalTransactionId"]?.text == original)
                #expect(copy["webOrderLineItemId"]?.text != bought.webOrderLineItemId)
                let expires = bought.expiresDate?.milliseconds
                #expect(copy["expiresDate"]?.number == expires && renewal["renewalDate"]?.number == expires)
                #expect(copy["appTransactionId"]?.text == account && renewal["appTransactionId"]?.text == account)
            }
        }
    }

    @Test("A refund revokes the members' access, and its reversal restores it")
    func refunds() async throws {
        try await Self.run { control, app in
            let ids = [
                try await control.buy("skin", by: "ann", in: app).transactionId,
                try await control.buy("basic", by: "ann", in: app, offer: .noOffer).transactionId,
            ]
            func copies(_ member: String) async throws -> [String?: JSONTree] {
                let rows = try await control.history(of: member, in: app)
                return Dictionary(uniqueKeysWithValues: rows.map { ($0["productId"]?.text, $0.withoutSigningDate) })
            }
            var before: [String: [String?: JSONTree]] = [:]
            for member in Self.members { before[member] = try await copies(member) }
            for id in ids {
                _ = try await control.send(RefundTransaction(app: app, transactionId: id, reason: .issueInApp))
            }
            for member in Self.members {
                let revoked = try await control.history(of: member, in: app)
                #expect(revoked.count == 2)
                for copy in revoked {
                    // The copy has the purchaser's revocation reason, but no percentage.
                    #expect(copy["revocationType"]?.text == "FAMILY_REVOKE" && copy["revocationReason"] == .number("1"))
                    #expect(copy["revocationPercentage"] == nil)
                }
                #expect(try await control.statuses(of: member, in: app).map(\.status) == [.revoked])
                #expect(try await control.history(of: member, in: app, "&revoked=false").isEmpty)
            }
            for id in ids { _ = try await control.send(ReverseRefund(app: app, transactionId: id)) }
            for member in Self.members {
                #expect(try await copies(member) == before[member])
                #expect(try await control.statuses(of: member, in: app).map(\.status) == [.active])
            }
        }
    }

    @Test("The App Store Server API does not know an erased customer, whose name can be used again")
    func erasure() async throws {
        for environment in StoreEnvironment.allCases {
            try await TypedControl.run { control in
                let app = AppEnvironment(TestShop.bundleID, environment)
                func status(_ path: String) async throws -> TypedControl.Answer {
                    try await control.apple(.get, path, in: environment)
                }
                let bought = try await control.buy("coins", by: "ann", in: app)
                let subscribed = try await control.buy("basic", by: "ann", in: app)
                let refund = RefundTransaction(app: app, transactionId: bought.transactionId)
                #expect(try await control.send(refund).transaction.transactionId == bought.transactionId)
                let other = try await control.buy("coins", by: "bob", in: app)
                let info = "/inApps/v1/transactions/"
                #expect(try await status(info + bought.transactionId).status == 200)
                // The request log contains a rejected request that names the customer, until the customer is erased.
                let missed = try await status("/inApps/v2/history/\(bought.transactionId)?sort=UPWARD")
                #expect(missed.status == 400)
                let explain = ExplainRequest(requestId: missed.requestID)
                _ = try await control.send(explain)

                let dry = try await control.send(EraseCustomer(app: app, customer: "ann", dryRun: true))
                #expect(dry.dryRun && dry.transactions == 2 && dry.notificationsErased >= 2)
                #expect(try await status(info + bought.transactionId).status == 200)
                var erased = try await control.send(EraseCustomer(app: app, customer: "ann"))
                #expect(erased.requestLogEntries >= 1)
                erased.dryRun = true
                #expect(try erased.json == dry.json)
                for id in [bought.transactionId, subscribed.originalTransactionId, bought.appTransactionId] {
                    for path in [
                        info, "/inApps/v2/refund/lookup/", "/inApps/v1/subscriptions/", "/inApps/v2/history/",
                    ] {
                        let answer = try await status(path + id)
                        #expect(answer.status == 404 && answer.errorCode == 4_040_010, "\(path)\(id): \(answer)")
                    }
                }
                let order = try #require(bought.orderId)
                #expect(try await status("/inApps/v1/lookup/\(order)").body == #"{"status":1}"#)
                #expect(try await status(info + other.transactionId).status == 200)
                try await control.expectRefusal(404, "unknown_request", of: explain)
                try await control.expectRefusal(404, "unknown_account", of: EraseCustomer(app: app, customer: "ann"))

                let again = try await control.buy("coins", by: "ann", in: app)
                #expect(![bought.appTransactionId, other.appTransactionId].contains(again.appTransactionId))
                #expect(Int64(again.transactionId) ?? 0 > Int64(other.transactionId) ?? 0)
            }
        }
    }
}
