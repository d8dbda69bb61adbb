import Hummingbird
import NIOCore

/// The context of a control request.
package struct ControlContext: RequestContext {
    /// The part of the request's context that Hummingbird manages.
    package var coreContext: CoreRequestContextStorage
    /// The client's address; nil if unknown.
    package let address: SocketAddress?

    /// Takes the client's address from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress
    }
}
