import AppStoreServer
import HTTPTypes
import Hummingbird
import NIOCore

/// The server of docs/client/index.md. NotificationHandlerTests runs it.
enum DocumentedServer {
    static func router(_ handler: NotificationHandler) -> Router<BasicRequestContext> {
        let router = Router()
        router.post("/apple/notifications") { request, _ -> HTTPResponse.Status in
            let body = try await request.body.collect(upTo: NotificationHandler.maxBytes)
            do {
                _ = try await handler.handle(Array(buffer: body)) { received in
                    guard !received.isOutdated, let transaction = received.notification.transaction else { return }
                    print(received.notification.payload.notificationType, transaction.payload.productId)
                }
                return .ok
            } catch let failure as VerificationFailure {
                return failure.canRetry ? .serviceUnavailable : .badRequest
            }
        }
        return router
    }
}
