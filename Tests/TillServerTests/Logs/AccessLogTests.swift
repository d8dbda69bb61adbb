import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillServer

@Suite("The access log")
struct AccessLogTests {
    /// The lines about two requests to the control API: one to the list of apps, one of a load balancer.
    private static func lines(_ accessLog: Bool?, from level: Logger.Level) async throws -> [String] {
        var settings = Settings()
        settings.accessLog = accessLog
        let test = try await TestShop(settings: settings, loggingFrom: level)
        try await Application(router: test.controlAPI().router()).test(.router) { client in
            for path in ["/v1/apps", "/readyz"] { _ = try await client.execute(uri: path, method: .get) { $0.status } }
        }
        return test.log.errors.filter { $0.hasPrefix("a request was answered") }
    }

    @Test(
        "The setting decides, and without it the log level",
        arguments: [
            (nil, .notice, 0), (nil, .info, 1), (nil, .debug, 2), (true, .error, 1), (true, .debug, 2),
            (false, .trace, 0),
        ] as [(Bool?, Logger.Level, Int)]
    )
    func setting(accessLog: Bool?, level: Logger.Level, count: Int) async throws {
        #expect(try await Self.lines(accessLog, from: level).count == count)
    }

    @Test("A secret in a path is not logged, neither where a route has it nor where there is no route")
    func secretPath() async throws {
        let test = try await TestShop(loggingFrom: .trace)
        let secret = "planted-0123456789"
        try await Application(router: test.controlAPI().router()).test(.router) { client in
            for path in [
                "/v1/apps/\(TestShop.bundleID)/sandbox/listen/\(secret)", "/\(secret)", "/v1/\(secret)/x",
                "/v1/apps?token=\(secret)",
            ] {
                _ = try await client.execute(uri: path, method: .get) { $0.status }
                _ = try await client.execute(uri: path, method: .post) { $0.status }
            }
        }
        try await Application(router: test.appleAPI().router()).test(.router) { client in
            _ = try await client.execute(uri: "/inApps/v1/\(secret)", method: .get) { $0.status }
        }
        #expect(test.log.errors.count { $0.hasPrefix("a request was answered") } == 9)
        #expect(test.log.errors.filter { $0.contains(secret) } == [])
    }

    @Test("A request without a route is counted with the route none")
    func withoutRoute() async throws {
        let (test, figures) = (try await TestShop(), PrometheusFigures())
        let api = AppleAPI(shop: test.shop, environment: .sandbox, meter: RequestMeter(factory: figures))
        try await Application(router: api.router()).test(.router) { client in
            _ = try await client.execute(uri: "/unknown", method: .get) { $0.status }
        }
        let lines = figures.text().split(separator: "\n").filter { $0.hasPrefix("till_requests_total{") }
        #expect(lines.contains { $0.contains(#"route="none",status="404""#) }, "\(lines)")
        #expect(!lines.contains { $0.contains("NotFound") }, "\(lines)")
    }
}
