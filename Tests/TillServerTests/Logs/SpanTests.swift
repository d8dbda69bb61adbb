import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import NIOCore
import Testing
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport
import Tracing

@Suite("Spans of a program that has bootstrapped a tracer")
struct SpanTests {
    private static let caller = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// A tracer can be bootstrapped once in a process, so the test has a process of its own.
    @Test("Request, advance and delivery are spans of the caller's trace, each under its cause")
    func spans() async throws {
        await #expect(processExitsWith: .success) {
            let tracer = W3CTracer()
            let traceparent = try #require(HTTPField.Name("traceparent"))
            InstrumentationSystem.bootstrap(tracer)
            let post = try await WebhookReceiver.start { _ in .status(200) }
            let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
            let test = try await TestShop(selling: SampleCatalog.all)
            try await test.shop.setup.updateRules(of: scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
            _ = try await test.shop.setClock(ClockName(scope), .freeze(at: nil))
            let worker = try test.startSending()
            try await Application(router: test.controlAPI().router()).test(.router) { client in
                for (path, body) in [
                    ("customers/ann/purchases", #"{"productId":"coins"}"#), ("clock/advance", #"{"by":"1d"}"#),
                ] {
                    var headers: HTTPFields = [.contentType: "application/json"]
                    headers[traceparent] = "00-\(SpanTests.caller)-00f067aa0ba902b7-01"
                    let uri = "/v1/apps/\(TestShop.bundleID)/sandbox/\(path)"
                    let body = ByteBuffer(string: body)
                    let status = try await client.execute(uri: uri, method: .post, headers: headers, body: body) {
                        $0.status.code
                    }
                    try #require(status < 300)
                }
            }
            let received = try await post.requests(atLeast: 1, within: .seconds(120))
            await test.stopSending(worker)
            try await post.stop()
            let spans = tracer.finished
            let server = spans.filter { $0.kind == .server }
            try #require(server.count == 2 && server.allSatisfy { $0.traceID == SpanTests.caller })
            try #require(server.allSatisfy { $0.parentSpanID == "00f067aa0ba902b7" })
            try #require(
                server[0].operationName == "POST /v1/apps/{bundleId}/{environment}/customers/{customer}/purchases"
            )
            let delivery = try #require(spans.first { $0.operationName == "deliver notification" })
            try #require(delivery.traceID == SpanTests.caller && delivery.parentSpanID == server[0].spanID)
            try #require(received[0].header("traceparent") == "00-\(SpanTests.caller)-\(delivery.spanID)-01")
            let advance = try #require(spans.first { $0.operationName == "advance clock" })
            try #require(advance.parentSpanID == server[1].spanID)
        }
    }
}
