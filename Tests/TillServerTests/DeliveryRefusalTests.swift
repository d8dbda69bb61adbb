import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillServer

/// Checks the answers when a notification is delivered to Till's own ports, and when a request has an unexpected body.
@Suite("Notifications that are delivered to Till itself")
struct DeliveryRefusalTests {
    private static let delivery: HTTPFields = {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name(DeliveryHeader.name) { fields[name] = DeliveryHeader.value }
        return fields
    }()
    private static let body = #"{"signedPayload":"a.b.c"}"#

    private static func control(_ test: TestShop) -> ControlAPI {
        test.controlAPI()
    }

    /// A path in which each parameter has a value.
    private static func completed(_ path: String) -> String {
        path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : "/\($0)".dropFirst() }.reduce("") { "\($0)/\($1)" }
    }

    private static func send(
        _ client: any TestClientProtocol,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String,
        headers: HTTPFields
    ) async throws -> (status: HTTPResponse.Status, body: String) {
        try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(string: body)) {
            ($0.status, String(buffer: $0.body))
        }
    }

    @Test("The control API rejects a notification on every path")
    func control() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let control = Self.control(test)
        let others = [
            "/healthz", "/console/", "/console/actions/rotateChain", "/openapi.json", "/metrics", "/", "/nothing",
        ]
        let places = control.routes.map { ($0.method, Self.completed($0.path)) } + others.map { (.post, $0) }
        #expect(places.count > 100)
        try await Application(router: control.router()).test(.router) { client in
            for (method, path) in places {
                for method in [method, .post] {
                    let answer = try await Self.send(client, method, path, Self.body, headers: Self.delivery)
                    #expect(answer.status == .forbidden, "\(method) \(path)")
                    #expect(answer.body.contains(#""code":"delivery""#), "\(method) \(path)")
                }
            }
        }
    }

    @Test("An operation without a body rejects a body, except an empty object")
    func bodies() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let control = Self.control(test)
        let routes = control.routes.filter { $0.request == nil && !$0.work.isDownload }
        #expect(routes.contains { $0.id == "rotateChain" } && routes.contains { $0.id == "restoreSnapshot" })
        try await Application(router: control.router()).test(.router) { client in
            for route in routes {
                let path = Self.completed(route.path)
                let json: HTTPFields = [.contentType: "application/json"]
                for body in [Self.body, "[]", "null", "{", "x"] {
                    let answer = try await Self.send(client, route.method, path, body, headers: json)
                    #expect(
                        answer.status == .badRequest && answer.body.contains(#""code":"unexpected_body""#),
                        "\(route.id) \(body)"
                    )
                }
            }
            for route in routes where route.path.contains("{") && route.method != .get {
                for body in ["", "{}", " {} "] {
                    let json: HTTPFields = [.contentType: "application/json"]
                    let answer = try await Self.send(
                        client,
                        route.method,
                        Self.completed(route.path),
                        body,
                        headers: json
                    )
                    #expect(!answer.body.contains("unexpected_body"), "\(route.id)")
                }
            }
        }
    }

    @Test(
        "The App Store Server API rejects a notification in both environments, and the request log has the reason",
        arguments: StoreEnvironment.allCases
    )
    func apple(environment: StoreEnvironment) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let api = test.appleAPI(in: environment)
        let token = try test.token()
        var headers = Self.delivery
        headers[.authorization] = "Bearer \(token)"
        let sent = headers
        var paths = api.endpoints.map { ($0.method, Self.completed($0.path)) }
        paths += [(.post, "/verifyReceipt"), (.post, "/no")]
        let refused = paths
        try await Application(router: api.router()).test(.router) { client in
            for (method, path) in refused {
                let answer = try await Self.send(client, method, path, Self.body, headers: sent)
                #expect(answer.status == .forbidden && answer.body.isEmpty, "\(method) \(path)")
                let entry = try #require(try await test.shop.requestLog.latest(1).first)
                #expect(entry.path == path && entry.status == 403 && entry.explanation.contains("Till-Delivery"))
            }
            let asked = try await Self.send(client, .post, "/ocsp", Self.body, headers: sent)
            #expect(asked.status == .forbidden && asked.body.contains("Till-Delivery"))
        }
    }

    @Test("The port with Apple's host names also rejects a notification")
    func underAppleNames() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let responder = HostResponder(hosts: HostTable(further: ["localhost"])) { environment in
            test.appleAPI(in: environment)
                .router()
        }
        try await Application(responder: responder).test(.router) { client in
            let path = "/inApps/v1/notifications/test"
            let answer = try await Self.send(client, .post, path, Self.body, headers: Self.delivery)
            #expect(answer.status == .forbidden)
        }
    }

    @Test("An endpoint's URL with one of Till's own ports is refused", arguments: [1_881, 1_882, 1_883])
    func endpoint(port: Int) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        for port in [1_881, 1_882, 1_883] { test.shop.destinations.ownPorts.add(host: "127.0.0.1", port: port) }
        try await Application(router: Self.control(test).router()).test(.router) { client in
            let path = "/v1/apps/\(TestShop.bundleID)/sandbox/endpoints/primary"
            let json: HTTPFields = [.contentType: "application/json"]
            for host in ["127.0.0.1", "localhost", "[::ffff:7f00:1]"] {
                let url = #"{"url":"http://\#(host):\#(port)/v1"}"#
                let answer = try await Self.send(client, .put, path, url, headers: json)
                #expect(answer.status == .badRequest && answer.body.contains("is a port of this Till"), "\(host)")
            }
            let other = try await Self.send(client, .put, path, #"{"url":"http://127.0.0.1:1880/"}"#, headers: json)
            #expect(other.status == .ok)
        }
    }
}
