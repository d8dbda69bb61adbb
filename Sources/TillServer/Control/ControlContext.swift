import Hummingbird
import NIOCore

/// The context of a control request.
package struct ControlContext: RequestContext {
    /// Hummingbird's own state of the request.
    package var coreContext: CoreRequestContextStorage
    /// The client's address; nil when unknown.
    package let address: SocketAddress?

    /// Takes the address from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress
    }
}
