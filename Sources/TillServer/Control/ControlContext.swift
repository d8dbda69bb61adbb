import Hummingbird
import NIOCore
import TillShop

/// The context of a control request.
package struct ControlContext: IdentifiedContext {
    /// The part of the request's context that Hummingbird manages.
    package var coreContext: CoreRequestContextStorage
    /// The client's address; nil if unknown.
    package let address: SocketAddress?
    /// The request id, which the answer and the audit log contain.
    package let requestID = RequestID.make()
    /// Who sent the request; nil before `ControlGuard` has checked it.
    package var caller: Principal?

    /// Takes the client's address from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress
    }
}
