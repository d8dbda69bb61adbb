import HTTPTypes
import Testing
import TillControl
import TillJSON
import TillShop
import TillTestSupport

/// Checks how the control API refuses requests with an invalid path, query or body.
@Suite("Invalid requests to the control API")
struct InvalidControlTests {
    private static let sandbox = "/v1/apps/com.example.shop/sandbox"
    private static let purchases = "\(sandbox)/customers/x/purchases"

    /// Bodies with errors, each with the paths of its errors.
    private static let invalid: [(path: String, body: String, places: Set<String>)] = [
        ("/v1/apps", #"{"bundleId":"a.b","bundelId":1}"#, ["$.bundelId"]),
        ("/v1/apps", #"{"bundleId":5}"#, ["$.bundleId"]), ("/v1/apps", "{}", ["$.bundleId"]),
        ("/v1/apps", #"{"bundleId":"a.b","appAppleId":"12"}"#, ["$.appAppleId"]),
        ("/v1/apps", #"{"bundleId":"a.b","appAppleId":0}"#, ["$.appAppleId"]),
        ("/v1/apps", #"{"bundleId":"a.b","appAppleId":1.5}"#, ["$.appAppleId"]),
        ("/v1/apps", #"{"bundleId":null}"#, ["$.bundleId"]), ("/v1/apps", "[]", ["$"]),
        ("/v1/teams", #"{"name":"x","issuerId":"no-uuid"}"#, ["$.issuerId"]),
        ("/v1/teams", #"{"nam":"x","colour":"red"}"#, ["$.name", "$.nam", "$.colour"]),
        ("\(sandbox)/customers", #"{"customer":"x","platform":"Windows"}"#, ["$.platform"]),
        ("\(sandbox)/customers", #"{"customer":"x","at":5}"#, ["$.at"]),
        ("\(sandbox)/customers", #"{"customer":""}"#, ["$.customer"]),
        ("\(sandbox)/customers", #"{"customer":"a\nb"}"#, ["$.customer"]),
        ("\(sandbox)/customers", #"{"customer":"\#(String(repeating: "x", count: 129))"}"#, ["$.customer"]),
        ("\(sandbox)/families", #"{"organizer":"x","members":["y",5]}"#, ["$.members[1]"]),
        (purchases, #"{"productId":"coins","quantity":"3"}"#, ["$.quantity"]),
        (purchases, #"{"productId":"coins","offer":{"kind":"FREE"}}"#, ["$.offer.kind"]),
        (purchases, #"{"productId":"coins","offer":{"kind":"CODE","ident":"x"}}"#, ["$.offer.ident"]),
        (purchases, #"{"productId":"coins","deviceId":"phone"}"#, ["$.deviceId"]),
        (purchases, #"{"productId":"coins","price":1,"currency":"usd"}"#, ["$.currency"]),
        ("/v1/backup", #"{"to":5,"too":6}"#, ["$.to", "$.too"]),
    ]

    @Test("Every error in a body is named by its path")
    func faults() async throws {
        try await TypedControl.run { control in
            for (path, body, places) in Self.invalid {
                let answer = try await control.ask(.post, path, body)
                #expect(answer.status == 400 && answer.faultPaths == places, "\(path) \(body): \(answer)")
                #expect(!answer.message.isEmpty)
            }
        }
    }

    @Test("A body that is no JSON object is refused")
    func bodies() async throws {
        try await TypedControl.run { control in
            let texts = ["{", "", "null", "[]", #"{"name":"a","name":"b"}"#, #"{"name":"x"} y"#]
            let bytes =
                texts.map { Array($0.utf8) } + [[0xff], Array(#"{"name":""#.utf8) + [0xff] + Array(#""}"#.utf8)]
            for body in bytes {
                let answer = try await control.ask(.post, "/v1/teams", bytes: body)
                #expect(answer.status == 400 && !answer.faultPaths.isEmpty, "\(body): \(answer)")
            }
        }
    }

    @Test("An error shows the value that it refuses")
    func found() async throws {
        try await TypedControl.run { control in
            for (body, place, found) in [
                (#"{"customer":"zoe","storefront":"ZZZ"}"#, "$.storefront", "ZZZ"),
                (#"{"customer":"a\u0007b"}"#, "$.customer", "a"),
            ] {
                let answer = try await control.ask(.post, "\(Self.sandbox)/customers", body)
                let faults = answer.json["faults"]?.elements ?? []
                #expect(answer.status == 400 && faults.count == 1 && faults.first?["path"]?.text == place)
                #expect(faults.first?["found"]?.text?.contains(found) == true, "\(answer)")
            }
        }
    }

    @Test(
        "A body that is not declared as JSON is refused, because a web page can post it to another site",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "text/json", nil, "multipart/form-data; boundary=x",
            "application/jsonp",
        ]
    )
    func contentTypes(_ type: String?) async throws {
        try await TypedControl.run { control in
            let before = try await control.send(ListTeams())
            let answer = try await control.ask(.post, "/v1/teams", #"{"name":"sneaked in"}"#, type: type)
            #expect(answer.status == 415 && answer.code == "not_json")
            #expect(try await control.send(ListTeams()).json == before.json)
            let declared = "application/json; charset=utf-8"
            let read = try await control.ask(.post, "/v1/apps", #"{"bundleId":"x y"}"#, type: declared)
            #expect(read.status == 400 && read.code == "bad_bundle_id")
        }
    }

    @Test("An unknown name is refused with a message that contains it or the known ones")
    func unknownNames() async throws {
        try await TypedControl.run { control in
            for (method, path, word) in [
                (HTTPRequest.Method.get, "/v1/apps/com.example.unknown", TestShop.bundleID),
                (.get, "/v1/apps/com.example.unknown/catalog", TestShop.bundleID),
                (.get, "\(Self.sandbox)/customers/unknown", "unknown"),
                (.get, "/v1/apps/com.example.shop/moon/customers/unknown", "sandbox"),
                (.get, "\(Self.sandbox)/transactions/12", "12"), (.get, "\(Self.sandbox)/transactions/x", "x"),
                (.delete, "/v1/keys/NOSUCHKEY1", "NOSUCHKEY1"), (.get, "/v1/requests/NOSUCHREQUEST", "NOSUCHREQUEST"),
            ] {
                let answer = try await control.ask(method, path)
                #expect(answer.status == 404 && answer.message.contains(word), "\(path): \(answer)")
            }
        }
    }

    @Test("A transaction of another environment or app is unknown")
    func foreignTransactions() async throws {
        try await TypedControl.run { control in
            let id = try await control.buy("coins", by: "ann").transactionId
            let issuer = control.test.app.issuerID
            _ = try await control.send(CreateApp(bundleId: "com.example.neighbour", issuerId: issuer))
            for app in [AppEnvironment(TestShop.bundleID, .production), AppEnvironment("com.example.neighbour")] {
                let code = "unknown_transaction"
                try await control.expectRefusal(404, code, of: GetTransaction(app: app, transactionId: id))
                try await control.expectRefusal(404, code, of: RefundTransaction(app: app, transactionId: id))
                try await control.expectRefusal(404, code, of: ReverseRefund(app: app, transactionId: id))
                try await control.expectRefusal(404, code, of: FinishTransaction(app: app, transactionId: id))
            }
        }
    }

    @Test("An unknown path, a wrong method and an empty path segment are refused with JSON")
    func routes() async throws {
        try await TypedControl.run { control in
            let fault = try await control.send(AddFault(kind: .latency, customer: "nobody", milliseconds: 1))
            for (method, path, statuses) in [
                (HTTPRequest.Method.get, "/v1/nothing", [404]), (.get, "/V1/apps", [404]),
                (.delete, "/v1/apps", [404, 405]), (.post, "/healthz", [404, 405]),
            ] {
                let answer = try await control.ask(method, path)
                #expect(statuses.contains(answer.status), "\(path): \(answer)")
                #expect(answer.json.members.map(\.key) == ["code", "message"], "\(path): \(answer)")
            }
            // Without its identifier, a request to delete one fault rule must not delete all.
            for path in ["/v1/faults/", "/v1//faults", "//v1/faults"] {
                let answer = try await control.ask(.delete, path)
                #expect(answer.status == 404 && answer.code == "no_such_route", "\(path): \(answer)")
            }
            #expect(try await control.send(ListFaults()).map(\.id) == [fault.id])
            _ = try await control.send(RemoveFaults(faultId: fault.id))
            #expect(try await control.send(ListFaults()).isEmpty)
            let refused = try #require(try await control.refusal(of: RemoveFaults(faultId: fault.id)))
            #expect(refused.status == 404 && refused.code == "unknown_fault", "\(refused)")
        }
    }

    @Test("An unknown or repeated query parameter is refused: a misspelled one must not erase the data of all apps")
    func queries() async throws {
        try await TypedControl.run { control in
            _ = try await control.send(CreateCustomer(app: control.app, customer: "x"))
            for (method, path) in [
                (HTTPRequest.Method.delete, "/v1/state?bundleID=com.example.shop"), (.get, "/v1/status?verbose=1"),
                (.delete, "\(Self.sandbox)/customers/x?dryRun=true&dryRun=false"),
            ] {
                let answer = try await control.ask(method, path)
                #expect(answer.status == 400 && answer.code == "bad_query", "\(path): \(answer)")
            }
            let path = "\(Self.purchases)?includes=signed"
            let empty = try await control.ask(.post, path, "{}")
            #expect(empty.status == 400 && empty.code == "bad_request")
            let purchase = try await control.ask(.post, path, #"{"productId":"coins"}"#)
            #expect(purchase.status == 400 && purchase.code == "bad_query" && purchase.faultPaths == ["includes"])
            #expect(purchase.message.contains("include"))
            let moved = try await control.ask(.put, "\(Self.sandbox)/clock?clock=slow", #"{"mode":"frozen"}"#)
            #expect(moved.status == 400 && moved.message.contains("in the body"))
            #expect(try await control.send(GetClock(app: control.app)).mode == .real)
            #expect(try await control.send(GetCustomer(app: control.app, customer: "x")).transactions == 0)
        }
    }

    @Test("A duration that no clock can reach is refused", arguments: [28, 5_000])
    func durations(_ count: Int) async throws {
        try await TypedControl.run { control in
            let duration = String(repeating: "999999999h", count: count)
            try await control.expectRefusal(400, "bad_duration", of: AdvanceClock(app: control.app, by: duration))
        }
    }

    @Test("A refused job does not change the catalog")
    func jobs() async throws {
        try await TypedControl.run { control in
            let before = try await control.send(GetCatalog(bundleId: TestShop.bundleID))
            let past = Timestamp(milliseconds: 1_200_000_000_000)
            let price = RaisePrice(app: control.app, productId: "year", price: 99_990, at: past)
            try await control.expectRefusal(409, "earlier_than_clock", of: price)
            let sharing = ShareProduct(app: control.app, productId: "year", at: past)
            try await control.expectRefusal(409, "earlier_than_clock", of: sharing)
            #expect(try await control.send(GetCatalog(bundleId: TestShop.bundleID)).json == before.json)
        }
    }

    @Test("A family is created with all members or not at all")
    func families() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateClock(app: app, name: "slow"))
            _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", clock: "slow"))
            for (member, status, code) in [
                ("ann", 409, "family_on_another_clock"), ("\u{feff}zed", 400, "bad_customer"),
            ] {
                let family = CreateFamily(app: app, organizer: "bob", members: ["cat", member])
                try await control.expectRefusal(status, code, of: family)
                for name in ["bob", "cat"] {
                    try await control.expectRefusal(404, "unknown_account", of: GetCustomer(app: app, customer: name))
                }
            }
        }
    }

    @Test(
        "A retired path is refused with the new one, whatever the method",
        arguments: [
            ("/v1/journal", "/v1/requests"), ("/v1/journal/abc", "/v1/requests/"), ("\(sandbox)/rules", "/settings"),
            ("\(sandbox)/coming", "/upcoming-events"), ("\(sandbox)/clock/leap", "/clock/advance"),
            ("\(sandbox)/clocks/slow", "/clock, with clock"),
            ("\(sandbox)/clocks/slow/leap", "/clock/advance, with clock"),
            ("\(sandbox)/attacks/receipts", "/attacks?receipts=true"), ("/v1/ca/receipts", "/v1/ca?receipts=true"),
            ("/v1/tls", "/v1/status, in tls"), ("/v1/prune", "DELETE /v1/notifications, with days"),
            ("/v1/faults/f1", "DELETE /v1/faults?faultId={faultId}"),
            ("\(sandbox)/customers/ann/subscriptions", "/customers/{customer}, in subscriptions"),
            (
                "\(sandbox)/transactions/1/receipt",
                "/customers/{customer}/receipt?transactionId={transactionId}"
            ),
            ("\(sandbox)/notifications/test", "/{environment}/notifications with"),
            (
                "\(sandbox)/notifications/31f2b8a4/resend",
                "POST /v1/apps/{bundleId}/{environment}/notifications/resend, with"
            ),
            (
                "\(sandbox)/customers/ann/card",
                "PATCH /v1/apps/{bundleId}/{environment}/customers/{customer}, with card"
            ),
            ("\(sandbox)/customers/ann/family/members", "/family/members/{member} now"),
            ("/v1/reset", "DELETE /v1/state"), ("/v1/keys/ABC/revoke", "DELETE /v1/keys/{keyId}"),
        ]
    )
    func retiredPaths(_ path: String, _ new: String) async throws {
        try await TypedControl.run { control in
            for method in [HTTPRequest.Method.get, .put, .post, .delete] {
                // DELETE of this path deletes a clock today.
                if method == .delete, path.hasSuffix("/clocks/slow") { continue }
                let answer = try await control.ask(method, path)
                #expect(answer.status == 404 && answer.code == "renamed", "\(method) \(path): \(answer)")
                #expect(answer.message.contains(new), "\(method) \(path): \(answer)")
            }
        }
    }

    @Test(
        "The retired removal of a secret is refused with the new request",
        arguments: ["/v1/apps/com.example.shop", "/v1/teams/57246542-96fe-1a63-e053-0824d011072a"]
    )
    func retiredRemoval(_ owner: String) async throws {
        try await TypedControl.run { control in
            let answer = try await control.ask(.delete, "\(owner)/shared-secret")
            #expect(answer.status == 404 && answer.code == "renamed", "\(answer)")
            #expect(answer.message.contains(#"PUT, with {"remove": true}"#), "\(answer)")
        }
    }

    @Test("A retired key is refused with the new one")
    func retiredKey() async throws {
        try await TypedControl.run { control in
            let answer = try await control.ask(.put, "\(Self.sandbox)/settings", #"{"weather":"sparse"}"#)
            let found = answer.json["faults"]?.elements.first?["found"]?.text
            #expect(answer.status == 400 && found?.contains("payloadProfile") == true, "\(answer)")
        }
    }
}
