import AppStoreServer
import Foundation

/// Reconciles with the server until it has everything, or until it is killed.
///
/// Arguments: the URL of the server, the key file, the key id, the issuer id, the bundle id, the folder of the backend,
/// the first and the last date in milliseconds, the number of effects after which the process kills itself (0: never),
/// the file of the root certificate, and customers, each by a transaction id.
@main
struct Reconciles {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let key = try AppStoreKey(file: arguments[2], keyID: arguments[3], issuerID: arguments[4])
        let server = ServerEnvironment.custom(arguments[1])
        let client = AppStoreServerClient(key: key, bundleID: arguments[5], environment: server)
        let effects = try RecordedEffects(folder: arguments[6], effectsBeforeKill: Int(arguments[9]) ?? 0)
        let roots = try TrustedRoots(files: [arguments[10]])
        let verifier = SignedDataVerifier(roots: roots, app: .sandbox(bundleID: arguments[5]))
        // The handler of the webhook, whose notifications the effects know.
        let handler = NotificationHandler(verifier: verifier, handled: effects)
        let store = try FileReconcilerStore(path: arguments[6] + "/positions.json") { batch in
            for item in batch.notifications {
                try await effects.note(try item.signedPayload.unverifiedPayload().notificationUUID)
                _ = try await handler.handle(item.signedPayload) { received in
                    try await effects.apply(received.notification.payload.notificationUUID)
                }
            }
            for transaction in batch.transactions {
                let id = try transaction.unverifiedPayload().transactionId
                try await effects.note(id)
                try await effects.apply(id)
            }
        }
        let reconciler = Reconciler(client: client, store: store, window: .seconds(7 * 86_400))
        try await reconciler.reconcileNotifications(
            since: Timestamp(milliseconds: Int64(arguments[7]) ?? 0),
            until: Timestamp(milliseconds: Int64(arguments[8]) ?? 0)
        )
        for customer in arguments.dropFirst(11) { try await reconciler.reconcileTransactions(of: customer) }
    }
}
