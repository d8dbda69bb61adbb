import Hummingbird
import Logging
import NIOCore
import Synchronization
import TillShop

/// What a request carries beside itself: its id, and who it claims to be.
package struct APIContext: RequestContext {
    /// What Hummingbird keeps of the request.
    package var coreContext: CoreRequestContextStorage
    let requestID: String
    let claimed: ClaimedBox
    /// What the handlers leave for the request log.
    let annotations = RequestLogAnnotations()
    /// The connection, for who must cut it.
    let channel: any Channel

    /// Gives the request an id; nobody is claimed yet.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        requestID = RequestID.make()
        claimed = ClaimedBox()
        channel = source.channel
    }
}

/// Carries the claimed identity from the handler out to the request log, past a thrown error.
final class ClaimedBox: Sendable {
    private let value = Mutex(ClaimedIdentity())

    func set(_ identity: ClaimedIdentity) { value.withLock { $0 = identity } }
    func get() -> ClaimedIdentity { value.withLock { $0 } }
}
