import Foundation
import NIOHTTP1
import Synchronization

extension Till {
    /// The receiver of an app's notifications: an HTTP server on a free port of 127.0.0.1.
    ///
    /// With the trait `AppStoreServer` of the package, it verifies the signature, the certificates and the bundle id of
    /// each notification, and answers 400 to what is not genuine. Without the trait it decodes notifications and
    /// compares the bundle id, but **verifies no signature**, because that needs swift-crypto and swift-certificates.
    ///
    /// A notification that Till delivers again, with the same `notificationUUID`, counts once.
    public final class Endpoint: Sendable {
        /// The URL of the receiver.
        public let url: String
        private let reader: NotificationReader
        private let faults: @Sendable (NotificationType) async -> [String]
        private let inbox = Mutex(Inbox())

        private struct Inbox {
            /// What arrived, with the mark of what `expect` has returned.
            var notifications: [(notification: Notification, isExpected: Bool)] = []
            var refusals: [String] = []
            /// The statuses of the next answers.
            var failures: [Int] = []
            /// How many deliveries of each notification arrived, by notificationUUID.
            var attempts: [String: Int] = [:]

            /// The first unexpected notification with a type and an accepted subtype, which is expected from now on.
            mutating func take(_ type: NotificationType, _ accepts: (NotificationSubtype?) -> Bool) -> Notification? {
                let index = notifications.firstIndex { item in
                    !item.isExpected && item.notification.type == type && accepts(item.notification.subtype)
                }
                guard let index else { return nil }
                notifications[index].isExpected = true
                return notifications[index].notification
            }

            /// Takes in a genuine notification, and returns the status of the answer.
            mutating func add(_ notification: Notification) -> Int {
                let id = notification.notificationUUID
                attempts[id, default: 0] += 1
                // Till repeats an accepted delivery if it could not record the answer. This must not use up a failure.
                if notifications.contains(where: { $0.notification.notificationUUID == id }) { return 200 }
                if !failures.isEmpty { return failures.removeFirst() }
                notifications.append((notification, isExpected: false))
                return 200
            }

            var rest: [Notification] { notifications.filter { !$0.isExpected }.map(\.notification) }
        }

        /// - Parameter faults: finds the faults that hit notifications of a type.
        init(
            url: String,
            reader: NotificationReader,
            faults: @escaping @Sendable (NotificationType) async -> [String] = { _ in [] }
        ) {
            (self.url, self.reader, self.faults) = (url, reader, faults)
        }

        /// All notifications that arrived, in the order of their arrival.
        public var received: [Notification] { inbox.withLock { $0.notifications.map(\.notification) } }

        /// Why requests were refused that contained no genuine notification of the app.
        public var refusals: [String] { inbox.withLock(\.refusals) }

        /// The first notification with a type that no earlier call returned. Waits for it if it has not arrived.
        ///
        /// - Parameters:
        ///   - type: the type.
        ///   - subtype: the subtype; by default any subtype, or none.
        ///   - timeout: how long to wait. The functions of customers and clocks have already waited for the deliveries
        ///     that they caused.
        /// - Throws: `TillTestingError` with what arrived instead, and the fault rules that hit such notifications.
        @discardableResult
        public func expect(
            _ type: NotificationType,
            _ subtype: NotificationSubtype? = nil,
            timeout: Duration = .seconds(10)
        ) async throws -> Notification {
            let name = type.rawValue + (subtype.map { "/\($0.rawValue)" } ?? "")
            return try await expect(type, name, timeout) { subtype == nil || $0 == subtype }
        }

        /// Like `expect`, but only for a notification that has no subtype.
        @discardableResult
        public func expectWithoutSubtype(
            _ type: NotificationType,
            timeout: Duration = .seconds(10)
        ) async throws -> Notification {
            try await expect(type, "\(type.rawValue) without a subtype", timeout) { $0 == nil }
        }

        private func expect(
            _ type: NotificationType,
            _ name: String,
            _ timeout: Duration,
            _ accepts: (NotificationSubtype?) -> Bool
        ) async throws -> Notification {
            let end = ContinuousClock.now + timeout
            while true {
                if let found = inbox.withLock({ $0.take(type, accepts) }) { return found }
                guard ContinuousClock.now < end else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let (rest, refusals) = inbox.withLock { ($0.rest, $0.refusals) }
            let hits = await faults(type).map { " A fault rule hit \(type.rawValue): \($0)" }.joined()
            let refused = refusals.isEmpty ? "" : " Refused: \(refusals.joined(separator: "; "))."
            let arrived = "Arrived and not yet expected: \(Self.list(rest))."
            throw TillTestingError("\(name) did not arrive within \(timeout). \(arrived)\(refused)\(hits)")
        }

        /// Forgets what has arrived, and the failures that were asked for.
        public func clear() { inbox.withLock { $0 = Inbox() } }

        /// Fails if a notification arrived that no call of `expect` returned.
        ///
        /// - Throws: `TillTestingError` with these notifications.
        public func expectNothingElse() throws {
            let rest = inbox.withLock(\.rest)
            guard rest.isEmpty else { throw TillTestingError("Arrived and not expected: \(Self.list(rest)).") }
        }

        /// How many deliveries of a notification arrived, with those that `fail` refused.
        public func attempts(_ notification: Notification) -> Int {
            inbox.withLock { $0.attempts[notification.notificationUUID] ?? 0 }
        }

        /// Answers the next deliveries with an error, but accepts again what was accepted before. Till repeats them
        /// later on the clock of the app.
        ///
        /// - Parameters:
        ///   - status: the HTTP status of the answers.
        ///   - times: the number of deliveries.
        public func fail(_ status: Int = 500, times: Int = 1) {
            inbox.withLock { $0.failures += Array(repeating: status, count: times) }
        }

        private static func list(_ notifications: [Notification]) -> String {
            notifications.isEmpty ? "nothing" : notifications.map(\.description).joined(separator: ", ")
        }

        /// The status of the answer to a request with a body.
        func answer(to body: [UInt8]) async -> HTTPResponseStatus {
            do {
                let notification = try await reader.notification(in: body)
                return HTTPResponseStatus(statusCode: inbox.withLock { $0.add(notification) })
            } catch {
                inbox.withLock { $0.refusals.append("\(error)") }
                return .badRequest
            }
        }
    }
}
