import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import TillServer

/// Runs connections without sockets, on a clock that the test advances.
@Suite("Closing connections when the server stops")
struct ConnectionStopTests {
    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ConnectionStop())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func stop(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    private func request(_ channel: EmbeddedChannel) throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private func partCount(_ channel: EmbeddedChannel) throws -> Int {
        var count = 0
        while try channel.readOutbound(as: HTTPResponsePart.self) != nil { count += 1 }
        return count
    }

    @Test("The server answers the first of many pipelined requests, and closes the connection")
    func pipelined() throws {
        let channel = try connection()
        for _ in 0..<3 { try request(channel) }
        try answer(channel)
        #expect(try partCount(channel) == 2)
        #expect(channel.isActive)
        stop(channel)
        #expect(channel.isActive)
        try answer(channel)
        #expect(try partCount(channel) == 2)
        // Further requests and their answers do not keep the connection open.
        #expect(throws: ChannelError.self) { try answer(channel) }
        try request(channel)
        #expect(try partCount(channel) == 0)
        channel.embeddedEventLoop.advanceTime(by: ConnectionStop.linger)
        #expect(!channel.isActive)
    }

    @Test("The server does not wait for a client that does not read its answer")
    func unread() throws {
        let channel = try connection()
        try request(channel)
        stop(channel)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: ConnectionStop.stallLimit - .milliseconds(1))
        // The client read some bytes in time.
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: ConnectionStop.stallLimit)
        #expect(channel.isActive)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: ConnectionStop.stallLimit)
        #expect(!channel.isActive)
    }

    @Test("The server does not wait for a connection that was blocked when the stop began")
    func full() throws {
        let channel = try connection()
        try request(channel)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .minutes(10))
        #expect(channel.isActive)
        stop(channel)
        channel.embeddedEventLoop.advanceTime(by: ConnectionStop.stallLimit)
        #expect(!channel.isActive)
    }

    @Test("The server waits for a slow answer")
    func slow() throws {
        let channel = try connection()
        try request(channel)
        stop(channel)
        channel.embeddedEventLoop.advanceTime(by: .minutes(10))
        #expect(channel.isActive)
        try answer(channel)
        #expect(try partCount(channel) == 2)
    }
}
