import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import TillServer

/// Checks on which thread a request is answered.
@Suite("Threads of connections")
struct ListenerTests {
    @Test(
        "A request is answered on the thread of its connection or on another thread, as configured",
        arguments: [true, false]
    )
    func place(answersOnLoop: Bool) async throws {
        let router = Router(context: APIContext.self)
        router.get("/place") { _, context in
            let before = context.channel.eventLoop.inEventLoop
            await Task.yield()
            // After a task on another thread, the request continues on the thread of its connection.
            await Task.detached {}.value
            return "\(before) \(context.channel.eventLoop.inEventLoop)"
        }
        let application = Listener(host: "127.0.0.1", port: 0, answersOnLoop: answersOnLoop)
            .application(router, logger: Logger(label: "test")) { _ in }
        try await application.test(.live) { client in
            for _ in 0..<3 {
                let place = try await client.execute(uri: "/place", method: .get) { String(buffer: $0.body) }
                #expect(place == "\(answersOnLoop) \(answersOnLoop)")
            }
        }
    }
}
