import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// The limits of a connection, which bound what a slow or endless request can cost.
package struct ConnectionLimits: Sendable {
    /// The time in which a request must arrive completely, from the start of the connection or the end of the last
    /// answer.
    package var requestDeadline: TimeAmount
    /// The maximum length in bytes of one header field, and of all header fields together.
    package var headerBytes: Int
    /// The maximum number of header fields of a request.
    package var headerCount: Int
    /// The paths whose request bodies may have any length. Their deadline starts again with each part that arrives.
    package var uploads: Set<String> = []
    /// Whether a request with a wrong `Host` field gets an error of the control API; otherwise it gets plain text.
    package var refusesAsControl = false

    /// Creates limits; the defaults are far above what normal clients need.
    package init(requestDeadline: TimeAmount = .seconds(60), headerBytes: Int = 64 * 1_024, headerCount: Int = 100) {
        self.requestDeadline = requestDeadline
        self.headerBytes = headerBytes
        self.headerCount = headerCount
    }
}

extension ConnectionLimits {
    /// These limits in the form that HTTP/1.1 connections need.
    var http1: HTTP1Channel.Configuration {
        let (deadline, uploads, asControl) = (requestDeadline, uploads, refusesAsControl)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                RequestTargetCheckSetup(asControl: asControl), RequestDeadline(deadline, uploads: uploads),
                ConnectionStop(),
            ],
            idleTimeout: deadline,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: headerBytes,
                maxHeaderListSize: headerBytes,
                maxHeaderFieldCount: headerCount
            )
        )
    }
}

/// Creates the servers that listen on a port, with the limits of connections.
package struct Listener: Sendable {
    /// The address to listen on, or a host name of this machine.
    package let host: String
    /// The port; 0 lets the system choose a port, which only the running server knows.
    package let port: Int
    /// The limits of every connection.
    package let limits: ConnectionLimits
    /// Whether requests are answered on the thread that reads them. This is for routes that always answer fast.
    package let answersOnLoop: Bool

    /// Creates a listener.
    package init(
        host: String,
        port: Int,
        limits: ConnectionLimits = ConnectionLimits(),
        answersOnLoop: Bool = true
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.answersOnLoop = answersOnLoop
    }

    /// Creates an application that serves a router at this address.
    ///
    /// - Parameter running: receives the port once the application accepts connections.
    package func application<Context: RequestContext>(
        _ router: Router<Context>,
        logger: Logger,
        running: @escaping @Sendable (Int) async -> Void
    ) -> Application<RouterResponder<Context>> where Context.Source == ApplicationRequestContextSource {
        Application(
            router: router,
            server: server { HTTP1Channel(responder: $0, configuration: limits.http1) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in await running(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    /// Creates the HTTP server for a kind of connection.
    func server<Connection: ServerChildChannel>(
        _ connection: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) -> Connection
    ) -> HTTPServerBuilder {
        answersOnLoop ? HTTPServerBuilder { LoopChannel(connection($0)) } : HTTPServerBuilder { connection($0) }
    }
}
