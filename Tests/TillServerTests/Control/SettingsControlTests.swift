import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks the settings and the endpoints of an environment.
@Suite("Settings and endpoints, through the control API")
struct SettingsControlTests {
    @Test("A change of settings leaves all other settings as they are")
    func merge() async throws {
        try await TypedControl.run { control in
            let app = control.app
            var wanted = SettingsInfo(
                rate: .calendar,
                refundRule: .followPreference,
                released: true,
                payloadProfile: "fair",
                missingPrice: .storefrontCurrency
            )
            let before = try await control.send(GetSettings(app: app))
            #expect(try before.json == wanted.json)
            let fast = UpdateSettings(app: app, rate: .custom(.sandbox5Minutes))
            #expect(try await control.send(fast).rate == .sandbox5Minutes)
            let bought = try await control.buy("pro", by: "ann")
            let expiresDate = try #require(bought.expiresDate)
            #expect(expiresDate == bought.purchaseDate.advanced(milliseconds: 300_000))
            let update = UpdateSettings(app: app, grace: GracePeriodInfo(days: 16), refundRule: .byHand)
            let after = try await control.send(update)
            wanted.rate = .sandbox5Minutes
            wanted.grace = GracePeriodInfo(days: 16, coverage: .allRenewals)
            wanted.refundRule = .byHand
            #expect(try after.json == wanted.json)
            #expect(try await control.send(GetSettings(app: app)).json == after.json)
            let id = try await control.buy("coins", by: "ann").transactionId
            let asked = try await control.send(RequestRefund(app: app, transactionId: id))
            let request = try #require(asked.transaction.refundRequest)
            #expect(request.decisionDate == nil && request.decidedBy == .byHand)
            let reset = UpdateSettings(app: app, rate: .serverDefault, grace: GracePeriodInfo(days: 0))
            #expect(try await control.send(reset).grace == nil)
            let short = UpdateSettings(app: app, grace: GracePeriodInfo(days: 5))
            try await control.expectRefusal(400, "bad_grace", of: short)
            let unknown = try InvalidRequest(fast, ["rate": .string("fast")])
            try await control.expectRefusal(400, "bad_request", of: unknown)
            let production = AppEnvironment(TestShop.bundleID, .production)
            #expect(try await control.send(GetSettings(app: production)).json == before.json)
        }
    }

    @Test("Endpoints are set and removed")
    func endpoints() async throws {
        try await TypedControl.run { control in
            let app = control.app
            func listed() async throws -> [EndpointInfo] {
                try await control.send(ListEndpoints(app: app))
            }
            #expect(try await listed().isEmpty)
            let log = try await control.send(
                SetEndpoint(
                    app: app,
                    endpoint: "log",
                    url: "https://example.com/log",
                    types: ["EXPIRED/VOLUNTARY"]
                )
            )
            let url = "http://127.0.0.1:9/apple"
            let primary = try await control.send(SetEndpoint(app: app, endpoint: "primary", url: url))
            #expect(try await listed().json == [primary, log].json)
            let wanted = EndpointInfo(name: "primary", url: url, types: [], version: .two)
            #expect(try primary.json == wanted.json)
            let update = UpdateEndpoint(app: app, endpoint: "log", url: "https://example.com/new")
            let updated = try await control.send(update)
            #expect(updated.url == "https://example.com/new" && updated.types == ["EXPIRED/VOLUNTARY"])
            let all = try await control.send(UpdateEndpoint(app: app, endpoint: "log", types: [], version: .one))
            #expect(all.url == updated.url && all.types.isEmpty && all.version == .one)
            let remove = RemoveEndpoint(app: app, endpoint: "log")
            _ = try await control.send(remove)
            try await control.expectRefusal(404, "unknown_endpoint", of: update)
            #expect(try await listed().json == [primary].json)
            try await control.expectRefusal(404, "unknown_endpoint", of: remove)
        }
    }

    @Test("An endpoint with an invalid URL, type or name is refused")
    func invalidEndpoints() async throws {
        try await TypedControl.run { control in
            func endpoint(_ url: String, types: [String]? = nil, named name: String = "a") -> SetEndpoint {
                SetEndpoint(app: control.app, endpoint: name, url: url, types: types)
            }
            for url in ["ftp://x", "http://"] {
                try await control.expectRefusal(400, "bad_url", of: endpoint(url))
            }
            _ = try await control.send(endpoint("http://x"))
            let update = UpdateEndpoint(app: control.app, endpoint: "a", url: "ftp://x")
            try await control.expectRefusal(400, "bad_url", of: update)
            for type in ["EXPIRED/UPGRADE", "FOO"] {
                try await control.expectRefusal(400, "bad_type", of: endpoint("http://x", types: [type]))
            }
            for name in ["listen", "a b"] {
                try await control.expectRefusal(400, "bad_endpoint", of: endpoint("http://x", named: name))
            }
        }
    }
}
