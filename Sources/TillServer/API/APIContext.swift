import Hummingbird
import Logging
import NIOCore
import TillShop

/// The context of a request: its request id, and what its handler records about it.
package struct APIContext: IdentifiedContext {
    /// The part of the request's context that Hummingbird manages.
    package var coreContext: CoreRequestContextStorage
    let requestID: String
    /// What the handlers record about the request for the request log.
    let annotations = RequestLogAnnotations()
    /// The connection, for faults that close it.
    let channel: any Channel

    /// Gives the request an id.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        requestID = RequestID.make()
        channel = source.channel
    }
}
