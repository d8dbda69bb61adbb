import Hummingbird
import NIOCore

/// What control knows of a request beside the request itself.
package struct ControlContext: RequestContext {
    /// What Hummingbird keeps of the request.
    package var coreContext: CoreRequestContextStorage
    /// The address from which the connection came; nil where there is none.
    package let address: SocketAddress?

    /// Takes the address from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress
    }
}
