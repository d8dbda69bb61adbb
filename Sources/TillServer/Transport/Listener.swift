import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// The limits of a connection: what a slow or endless delivery worker may cost.
package struct ConnectionLimits: Sendable {
    /// How long a request may take to arrive whole, counted from the connection or from the last answer.
    package var requestDeadline: TimeAmount
    /// Bytes of one header field, and of all together.
    package var headerBytes: Int
    /// Fields of one request; one more and it is refused.
    package var headerCount: Int
    /// Paths whose bodies may be of any length; the deadline then counts from the last piece.
    package var uploads: Set<String> = []
    /// Whether a request for no host, or for two, is refused with an error of control rather than in plain text.
    package var refusesAsControl = false

    /// Limits that no honest client meets.
    package init(requestDeadline: TimeAmount = .seconds(60), headerBytes: Int = 64 * 1_024, headerCount: Int = 100) {
        self.requestDeadline = requestDeadline
        self.headerBytes = headerBytes
        self.headerCount = headerCount
    }
}

extension ConnectionLimits {
    /// The same for a connection of HTTP/1.1.
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

/// Makes the servers, all with the same limits.
package struct Listener: Sendable {
    /// An address or a name of this machine, to which the socket is bound.
    package let host: String
    /// 0 lets the system choose; then only the running server knows the port.
    package let port: Int
    /// Held against every connection.
    package let limits: ConnectionLimits
    /// Whether requests are answered on the thread that reads them, which is for routes that never take long.
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

    /// An application that answers with a router at this address.
    ///
    /// - Parameter running: told the port once connections are accepted.
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

    /// Builds a server of connections that are answered where the listener says.
    func server<Connection: ServerChildChannel>(
        _ connection: @escaping @Sendable (@escaping HTTPChannelHandler.Responder) -> Connection
    ) -> HTTPServerBuilder {
        answersOnLoop ? HTTPServerBuilder { LoopChannel(connection($0)) } : HTTPServerBuilder { connection($0) }
    }
}
