import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// The limits of a connection, which bound the cost of slow or endless clients.
package struct ConnectionLimits: Sendable {
    /// How long a request may take to arrive completely, from the start of the connection or from the last answer.
    package var requestDeadline: TimeAmount
    /// The maximum length of one header field, and of all fields together, in bytes.
    package var headerBytes: Int
    /// The maximum number of header fields of a request.
    package var headerCount: Int
    /// Paths with bodies of any length; their deadline counts from the last received part.
    package var uploads: Set<String> = []
    /// Whether requests with a wrong Host are refused with a control API error instead of plain text.
    package var refusesAsControl = false

    /// Limits that well-behaved clients never reach.
    package init(requestDeadline: TimeAmount = .seconds(60), headerBytes: Int = 64 * 1_024, headerCount: Int = 100) {
        self.requestDeadline = requestDeadline
        self.headerBytes = headerBytes
        self.headerCount = headerCount
    }
}

extension ConnectionLimits {
    /// The same for an HTTP/1.1 connection.
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

/// Creates servers with the same limits.
package struct Listener: Sendable {
    /// The address or host name of this machine to bind to.
    package let host: String
    /// 0 lets the system choose; only the running server knows the port then.
    package let port: Int
    /// The limits of every connection.
    package let limits: ConnectionLimits
    /// Whether requests are answered on the thread that reads them; only for routes that are always fast.
    package let answersOnLoop: Bool

    /// A listener at an address; port 0 lets the system choose.
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

    /// An application with a router at this address.
    ///
    /// - Parameter running: receives the port once connections are accepted.
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

    /// Builds the server for the listener's connections.
    func server<Connection: ServerChildChannel>(
        _ connection: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) -> Connection
    ) -> HTTPServerBuilder {
        answersOnLoop ? HTTPServerBuilder { LoopChannel(connection($0)) } : HTTPServerBuilder { connection($0) }
    }
}
