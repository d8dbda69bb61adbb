import Hummingbird
import Logging
import NIOCore
import Synchronization
import TillShop

/// The context of a request: its request id, and the app and key that its bearer token claims.
package struct APIContext: RequestContext {
    /// The part of the request's context that Hummingbird manages.
    package var coreContext: CoreRequestContextStorage
    let requestID: String
    let claimed: ClaimedBox
    /// What the handlers record about the request for the request log.
    let annotations = RequestLogAnnotations()
    /// The connection, for faults that close it.
    let channel: any Channel

    /// Gives the request an id. The handler sets the claimed identity later.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        requestID = RequestID.make()
        claimed = ClaimedBox()
        channel = source.channel
    }
}

/// Carries the claimed app and key from the handler to the request log, also when the handler throws.
final class ClaimedBox: Sendable {
    private let value = Mutex(ClaimedIdentity())

    func set(_ identity: ClaimedIdentity) { value.withLock { $0 = identity } }
    func get() -> ClaimedIdentity { value.withLock { $0 } }
}
