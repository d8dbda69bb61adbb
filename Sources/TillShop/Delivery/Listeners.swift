import Foundation
import Synchronization
import TillCore
import TillJSON
import TillStorage

/// The listeners: clients of the control API, such as `till listen`, that receive notifications and forward them to a
/// local server.
///
/// If no primary endpoint is configured, a listener acts as the primary endpoint. A listener that sends no request for
/// a while is removed, and its pending deliveries are discarded.
package final class Listeners: Sendable {
    /// A notification for a listener to forward.
    package struct Offer: Sendable {
        /// The token with which the listener later reports the result of the attempt.
        package let token: String
        /// The notification.
        package let entry: OutboxEntry
        /// The body to post: `{"signedPayload":"…"}`.
        package let body: [UInt8]
    }

    /// The endpoint that a listener acts as: it receives the notifications to that endpoint.
    package struct Registration: Hashable, Sendable {
        /// The app and the environment.
        package let scope: AccountScope
        /// The name of the endpoint: `primary`, or `listen` if a primary endpoint is configured.
        package let endpoint: String
    }

    private struct Listener {
        var registration: Registration
        var leaseEnd: Timestamp
        var offers: [Offer] = []
        var asking: [UUID: CheckedContinuation<Offer?, Never>] = [:]
    }

    /// A delivery that waits for the listener's result.
    private struct Waiting {
        let scope: AccountScope
        let continuation: CheckedContinuation<AttemptResult, Never>
    }

    private struct State {
        var listeners: [AccountScope: Listener] = [:]
        var answers: [String: Waiting] = [:]
    }

    private let state = Mutex(State())
    private let wallClock: @Sendable () -> Timestamp
    /// The time in milliseconds after which a listener without a new request is removed.
    private static let lease: Int64 = 15_000

    init(wallClock: @escaping @Sendable () -> Timestamp) {
        self.wallClock = wallClock
    }

    /// The endpoint that the listener of an app's environment acts as; nil without a listener.
    package func registration(in scope: AccountScope) -> Registration? {
        state.withLock { $0.listeners[scope]?.registration }
    }

    /// Waits for the next notification to forward; nil if there is none in time. The call registers the caller as a
    /// listener.
    ///
    /// - Parameter hasPrimary: whether a primary endpoint is configured.
    package func next(in scope: AccountScope, hasPrimary: Bool, wait: Duration) async -> Offer? {
        let id = UUID()
        let leaseEnd = wallClock().advanced(milliseconds: Int64(wait / .milliseconds(1)) + Self.lease)
        let registration = Registration(
            scope: scope,
            endpoint: hasPrimary ? EndpointRecord.listening : EndpointRecord.primary
        )
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let offer: Offer?? = state.withLock { state in
                    var listener =
                        state.listeners[scope]
                        ?? Listener(registration: registration, leaseEnd: leaseEnd)
                    listener.leaseEnd = leaseEnd
                    defer { state.listeners[scope] = listener }
                    if Task.isCancelled { return .some(nil) }
                    if !listener.offers.isEmpty { return .some(listener.offers.removeFirst()) }
                    listener.asking[id] = continuation
                    return .none
                }
                if let offer { return continuation.resume(returning: offer) }
                // Started only after the caller was added to the list, because an earlier timeout would not find it,
                // and the caller would wait forever.
                Task {
                    try? await Task.sleep(for: wait)
                    self.giveUp(id, in: scope)
                }
            }
        } onCancel: {
            giveUp(id, in: scope)
        }
    }

    private func giveUp(_ id: UUID, in scope: AccountScope) {
        let asking = state.withLock { $0.listeners[scope]?.asking.removeValue(forKey: id) }
        asking?.resume(returning: nil)
    }

    /// Reports the result of forwarding an offer; false if no delivery of the app's environment waits for this result.
    package func answer(_ token: String, in scope: AccountScope, _ delivered: AttemptResult) -> Bool {
        let waiting = state.withLock { state in
            state.answers[token]?.scope == scope ? state.answers.removeValue(forKey: token) : nil
        }
        waiting?.continuation.resume(returning: delivered)
        return waiting != nil
    }

    /// Offers a notification to the listener, and returns the result that the listener reports.
    func deliver(_ body: [UInt8], _ entry: OutboxEntry, in scope: AccountScope) async -> AttemptResult {
        let begun = wallClock()
        let token = UUID().uuidString.lowercased()
        let offer = Offer(token: token, entry: entry, body: body)
        Task {
            try? await Task.sleep(for: .seconds(15))
            _ = self.answer(token, in: scope, AttemptResult(result: .timedOut, milliseconds: 15_000))
        }
        var delivered = await withCheckedContinuation { (answer: CheckedContinuation<AttemptResult, Never>) in
            let asker: CheckedContinuation<Offer?, Never>?? = state.withLock { state in
                guard state.listeners[scope] != nil else { return .none }
                state.answers[token] = Waiting(scope: scope, continuation: answer)
                if let id = state.listeners[scope]?.asking.keys.first {
                    return .some(state.listeners[scope]?.asking.removeValue(forKey: id))
                }
                state.listeners[scope]?.offers.append(offer)
                return .some(nil)
            }
            switch asker {
            case .none: answer.resume(returning: AttemptResult(result: .socketIssue, milliseconds: 0))
            case .some(let asker): asker?.resume(returning: offer)
            }
        }
        delivered.milliseconds = Int(wallClock().milliseconds - begun.milliseconds)
        return delivered
    }

    /// Ends all waits, because the server stops.
    func stop() {
        let waiting = state.withLock { state in
            let asking = state.listeners.values.flatMap(\.asking.values)
            for scope in state.listeners.keys { state.listeners[scope]?.asking = [:] }
            return asking
        }
        for asker in waiting { asker.resume(returning: nil) }
    }

    /// Removes the listeners whose lease has expired.
    ///
    /// - Returns: the endpoints that they acted as.
    func endLeases(at now: Timestamp) -> [Registration] {
        state.withLock { state in
            let gone = state.listeners.filter { $0.value.leaseEnd < now && $0.value.asking.isEmpty }
            for scope in gone.keys { state.listeners[scope] = nil }
            return gone.values.map(\.registration)
        }
    }
}

extension EndpointRecord {
    /// The URL that marks the endpoint of a listener. Operators cannot set it.
    static let listenerURL = "till:listen"

    /// Whether notifications go to a listener of the control API.
    var isListener: Bool { url == EndpointRecord.listenerURL }
}

extension Shop {
    /// The endpoints of an app's environment: the configured endpoints, and the endpoint of a listener.
    package func endpoints(of scope: AccountScope) -> [EndpointRecord] {
        let set = registry.rules(of: scope).endpoints
        guard
            let name = listeners.registration(in: scope)?.endpoint ?? endpointElsewhere(in: scope),
            !set.contains(where: { $0.name == name })
        else { return set }
        return set + [EndpointRecord(name: name, url: EndpointRecord.listenerURL)]
    }

    /// The targets of deliveries: all endpoints. A primary endpoint of version 1 is listed a second time for test
    /// notifications, which always have version 2.
    func deliveryTargets(of scope: AccountScope) -> [EndpointRecord] {
        let endpoints = endpoints(of: scope)
        return endpoints + endpoints.compactMap(\.forTests)
    }

    /// The body to post: `{"signedPayload":"…"}`; for a notification of version 1, the unsigned JSON object.
    func postedBody(_ entry: OutboxEntry) throws -> [UInt8] {
        if entry.version == .one { return entry.body.payload }
        let payload = try signedPayload(entry)
        var json = JSONWriter(capacity: payload.count + 32)
        json.put("signedPayload", quoting: payload)
        return json.finish()
    }
}
