import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

/// Sends malformed, invalid, deep and large bodies to both APIs.
@Suite("Hostile bodies")
struct HostileBodyTests {
    private static func text(_ pattern: String, times count: Int) -> String { String(repeating: pattern, count: count) }

    /// The bytes of texts and of bodies that are not UTF-8.
    private static func bytes(_ texts: [String], _ others: [[UInt8]] = []) -> [[UInt8]] {
        texts.map { Array($0.utf8) } + others
    }

    /// A JSON string whose content is not UTF-8, as the value of a key.
    private static func badText(_ key: String) -> [UInt8] {
        Array("{\"\(key)\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8)
    }

    private static let deep = [
        text("[", times: 100_000), text("[", times: 100_000) + text("]", times: 100_000),
        text(#"{"a":"#, times: 100_000) + "1" + text("}", times: 100_000),
    ]

    @Test("Set App Account Token rejects a malformed body, and a body without a valid UUID with 4000183")
    func appAccountToken() async throws {
        let uuid = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let malformed = Self.bytes(
            [
                "", " ", "{", "nul", "[]", #""a""#, "1", "null", "NaN", Self.text("[", times: 30_000),
                Self.text(#"{"a":"#, times: 10_000), Self.text("[", times: 30_000) + Self.text("]", times: 30_000),
                Self.text(#"{"a":"#, times: 9_000) + "1" + Self.text("}", times: 9_000), "{\"appAccountToken\":\"\0\"}",
                "\u{feff}{}", "{} {}", "{},", "{'a':1}", "{\"appAccountToken\":\"a\n\"}", #"{"a":"\ud800"}"#,
                #"{"a":1e}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":Infinity}"#, #"{"a":1,}"#,
                #"{"appAccountToken":"\#(uuid)","appAccountToken":"\#(uuid)"}"#,
            ],
            [
                Self.badText("appAccountToken"), Array(#"{""#.utf8) + [0xc0, 0xaf] + Array(#"":1}"#.utf8),
                [0xff, 0xfe, 0x7b, 0, 0x7d, 0],
            ]
        )
        let invalid = [
            "{}", #"{"appAccountToken":null}"#, #"{"appAccountToken":""}"#, #"{"appAccountToken":1}"#,
            #"{"appAccountToken":\#(Self.text("9", times: 50_000))}"#, #"{"appAccountToken":1e400}"#,
            #"{"appAccountToken":[]}"#, #"{"appAccountToken":"\#(uuid) "}"#, #"{"appAccountToken":"\#(uuid)\u0000"}"#,
            #"{"appAccountToken":"{\#(uuid)}"}"#, #"{"appAccountToken":"\#(uuid.replacing("-", with: ""))"}"#,
            #"{"appAccountToken":"\#(uuid.dropLast())\#u{ff18}"}"#,
            #"{"appAccountToken":"\#(Self.text("x", times: 60_000))"}"#, #"{"APPACCOUNTTOKEN":"\#(uuid)"}"#,
        ]
        let valid = Array(#"{"appAccountToken":"\#(uuid)"}"#.utf8)
        for environment in StoreEnvironment.allCases {
            try await TypedControl.run { control in
                let app = AppEnvironment(TestShop.bundleID, environment)
                let id = try await control.buy("coins", by: "ann", in: app).transactionId
                let path = "/inApps/v1/transactions/\(id)/appAccountToken"
                func put(_ body: [UInt8], _ type: String? = "application/json", encoding: String? = nil) async throws
                    -> TypedControl.Answer
                {
                    try await control.apple(
                        .put,
                        path,
                        bytes: body,
                        type: type,
                        encoding: encoding,
                        in: environment
                    )
                }
                for body in malformed {
                    let answer = try await put(body)
                    #expect(answer.status == 400, "\(body.prefix(80)): \(answer)")
                    #expect([nil, 4_000_183].contains(answer.errorCode), "\(body.prefix(80)): \(answer)")
                }
                for body in invalid {
                    let answer = try await put(Array(body.utf8))
                    #expect(answer.status == 400 && answer.errorCode == 4_000_183, "\(body.prefix(80)): \(answer)")
                }
                for body in Self.deep { #expect([400, 413].contains(try await put(Array(body.utf8)).status)) }
                // With any content type, the body is rejected or read, and never causes a server error.
                for type in [
                    "text/plain", "application/xml", "image/png", "multipart/form-data", "",
                    "application/json; charset=utf-16", Self.text("x", times: 5_000), "application/json\t;;;",
                    Self.text("a/b", times: 100),
                ] {
                    #expect([200, 400, 415].contains(try await put(valid, type).status), "\(type.prefix(80))")
                }
                for encoding in ["gzip", "deflate", "br", "compress"] {
                    let body = [0x1f, 0x8b, 8] + [UInt8](repeating: 0, count: 100)
                    #expect([400, 415].contains(try await put(body, encoding: encoding).status), "\(encoding)")
                }
                #expect(try await put(valid, "application/json; charset=utf-8").status == 200)
            }
        }
    }

    /// Members of an invalid purchase of coins.
    private static let wrongMembers = [
        #""quantity":0"#, #""quantity":11"#, #""quantity":-1"#, #""quantity":1\#(text("0", times: 400))"#,
        #""quantity":1.5"#, #""quantity":"1""#, #""quantity":true"#, #""quantity":NaN"#, #""quantity":1e0"#,
        #""quantity":1E999999999"#, #""price":-1"#, #""price":1\#(text("0", times: 30))"#,
        #""price":9223372036854775808"#, #""price":1e400"#, #""price":1,"currency":"eur""#, #""at":-1"#,
        #""at":9223372036854775808"#, #""at":0"#, #""storefront":"XX""#, #""storefront":"ÜSA""#, #""offer":[]"#,
        #""offer":{"kind":"SOMETHING"}"#, #""offer":{"kind":"PROMOTIONAL"}"#, #""offer":{"kind":"CODE"}"#,
        #""offer":{"kind":"CODE","id":"\u0000"}"#, #""offer":{"kind":"INTRODUCTORY","token":"a.b.c"}"#,
        #""offer":{"kind":"PROMOTIONAL","id":"x","token":"\#(text(".", times: 50_000))"}"#,
        #""offer":{"kind":"PROMOTIONAL","id":"x","keyId":"k","nonce":"n","timestamp":-9223372036854775808,"signature":"!"}"#,
        #""appAccountToken":"x""#, #""deviceId":"x""#, #""orderId":"x""#, #""unknown":1"#, #""finished":"true""#,
        #""productId":"coins""#,
    ]

    @Test("The control API rejects every malformed and invalid purchase, and stores none")
    func purchases() async throws {
        try await TypedControl.run { control in
            let customers = "/v1/apps/com.example.shop/sandbox/customers"
            _ = try await control.send(CreateCustomer(app: control.app, customer: "ann"))
            let texts =
                Self.deep + [Self.text(#"{"offer":"#, times: 100_000)]
                + ["", "null", "[]", "{}", #""x""#, "{", "\u{feff}{}", #"{"productId":1}"#, #"{"productId":""}"#]
                + [#"{"productId":"\u0000"}"#, #"{"productId":"\#(Self.text("x", times: 100_000))"}"#]
                + [#"{"productId":"../../x"}"#] + Self.wrongMembers.map { #"{"productId":"coins",\#($0)}"# }
            for body in Self.bytes(texts, [Self.badText("productId")]) {
                let answer = try await control.ask(.post, "\(customers)/ann/purchases", bytes: body)
                #expect([400, 404, 409, 413, 422].contains(answer.status), "\(body.prefix(80)): \(answer)")
                #expect(Set(answer.json.members.map(\.key)).isSubset(of: ["code", "message", "faults"]))
            }
            let valid = #"{"productId":"coins"}"#
            for customer in [
                "%00", "%0A", Self.text("x", times: 129), "%FF", "%C2%85", "", "%",
                Self.text("%F0%9F%98%80", times: 33), "..%2F.." + Self.text("x", times: 130),
            ] {
                let answer = try await control.ask(.post, "\(customers)/\(customer)/purchases", valid)
                #expect([400, 404, 405].contains(answer.status), "\(customer): \(answer)")
            }
            for scope in [
                "unknown/sandbox", "com.example.shop/SANDBOX", "com.example.shop/%00", "COM.EXAMPLE.SHOP/sandbox",
            ] {
                let answer = try await control.ask(.post, "/v1/apps/\(scope)/customers/a/purchases", valid)
                #expect([400, 404].contains(answer.status), "\(scope): \(answer)")
            }
            #expect(try await control.send(GetCustomer(app: control.app, customer: "ann")).transactions == 0)
        }
    }

    @Test("The control API rejects every malformed catalog and app, and every malformed query and id")
    func documents() async throws {
        try await TypedControl.run { control in
            let app = "/v1/apps/com.example.shop"
            let bodies =
                Self.deep + [Self.text(#"{"offer":"#, times: 100_000)]
                + ["", "null", "[]", "{}", #"{"products":1}"#, #"{"products":[1e400]}"#]
                + [#"{"version":{"major":1e400}}"#, "\0"]
            for body in bodies {
                for (method, path) in [
                    (HTTPRequest.Method.put, "\(app)/catalog/storekit"), (.put, "\(app)/catalog"),
                    (.post, "\(app)/products"),
                ] {
                    let answer = try await control.ask(method, path, body)
                    #expect(answer.status == 400, "\(path) \(body.prefix(80)): \(answer)")
                }
                #expect([400, 413].contains(try await control.ask(.post, "/v1/apps", body).status))
            }
            for (path, queries) in [
                (
                    "\(app)/sandbox/customers",
                    [
                        "limit=0", "limit=-1", "limit=101", "limit=NaN", "limit=99999999999999999999", "limit=%00",
                        "after=x",
                    ]
                ),
                ("/v1/requests", ["limit=0", "limit=101", "limit=%EF%BC%91", "limit=" + Self.text("9", times: 1_000)]),
            ] {
                for query in queries {
                    #expect(try await control.ask(.get, "\(path)?\(query)").status == 400, "\(path)?\(query)")
                }
            }
            for id in [
                "0", "-1", "99999999999999999999", "%00", Self.text("x", times: 10_000), "9223372036854775807",
                "%EF%BC%91", "%2B1",
            ] {
                for path in ["\(app)/sandbox/transactions/", "/v1/requests/"] {
                    let answer = try await control.ask(.get, path + id)
                    #expect(answer.status == (id == "%00" ? 400 : 404), "\(path)\(id.prefix(80)): \(answer)")
                }
            }
        }
    }
}

/// Checks a character that PostgreSQL cannot store.
@Suite("The character U+0000")
struct NullCharacterTests {
    @Test("A text with U+0000 is refused on every engine, or matches nothing", arguments: TestEngine.allCases)
    func refused(engine: TestEngine) async throws {
        try await TypedControl.run(try await TestShop(on: engine, selling: SampleCatalog.control)) { control in
            for (method, path, body) in [
                (HTTPRequest.Method.post, "/v1/apps", #"{"bundleId":"com.example.\u0000"}"#),
                (.post, "/v1/apps", #"{"bundleId":"a.b","name":"x\u0000y"}"#), (.get, "/v1/requests/%00", nil),
                (.get, "/v1/apps/%00", nil), (.get, "/v1/requests?limit=%00", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await control.ask(method, path, body)
                #expect(answer.status == 400 && answer.body.contains("U+0000"), "\(path): \(answer)")
            }
            let id = try await control.buy("coins", by: "ann").transactionId
            let page = try await control.apple(.get, "/inApps/v2/history/\(id)?productId=%00")
            #expect(page.status == 200 && page.signedTransactions.isEmpty)
            let body = #"{"appAccountToken":"0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a1\u0000"}"#
            let refused = try await control.apple(.put, "/inApps/v1/transactions/\(id)/appAccountToken", body)
            #expect(refused.errorCode == 4_000_183)
        }
    }
}
