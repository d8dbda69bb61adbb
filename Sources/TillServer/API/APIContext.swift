import Hummingbird
import Logging
import NIOCore
import Synchronization
import TillShop

/// The context of a request: its id and its claimed identity.
package struct APIContext: RequestContext {
    /// Hummingbird's own state of the request.
    package var coreContext: CoreRequestContextStorage
    let requestID: String
    let claimed: ClaimedBox
    /// Annotations of the handlers for the request log.
    let annotations = RequestLogAnnotations()
    /// The connection, for faults that close it.
    let channel: any Channel

    /// Gives the request an id; it has no claimed identity yet.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        requestID = RequestID.make()
        claimed = ClaimedBox()
        channel = source.channel
    }
}

/// Passes the claimed identity from the handler to the request log, even if the handler throws.
final class ClaimedBox: Sendable {
    private let value = Mutex(ClaimedIdentity())

    func set(_ identity: ClaimedIdentity) { value.withLock { $0 = identity } }
    func get() -> ClaimedIdentity { value.withLock { $0 } }
}
