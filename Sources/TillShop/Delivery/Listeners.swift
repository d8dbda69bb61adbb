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
        var calls: [Awaited<Offer>] = []
    }

    private struct State {
        var listeners: [AccountScope: Listener] = [:]
        /// The deliveries that wait for a listener's result, by their tokens.
        var deliveries: [String: (scope: AccountScope, result: Awaited<AttemptResult>)] = [:]
    }

    private let state = Mutex(State())
    private let wallClock: @Sendable () -> Timestamp
    /// The time in milliseconds after which a listener without a new request is removed.
    private static let lease: Int64 = 15_000
    /// The time limit of a delivery.
    private static let timeout = Duration.seconds(15)

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
        let leaseEnd = wallClock().advanced(milliseconds: Int64(wait / .milliseconds(1)) + Self.lease)
        let endpoint = hasPrimary ? EndpointRecord.listening : EndpointRecord.primary
        let call = Awaited<Offer>()
        state.withLock { state in
            var listener =
                state.listeners[scope]
                ?? Listener(registration: Registration(scope: scope, endpoint: endpoint), leaseEnd: leaseEnd)
            listener.leaseEnd = leaseEnd
            if Task.isCancelled {
                call.resume(with: nil)
            } else if !listener.offers.isEmpty {
                call.resume(with: listener.offers.removeFirst())
            } else {
                listener.calls.append(call)
            }
            state.listeners[scope] = listener
        }
        defer { state.withLock { $0.listeners[scope]?.calls.removeAll { $0 === call } } }
        return await call.value(within: wait)
    }

    /// Reports the result of forwarding an offer; false if no delivery of the app's environment waits for this result.
    package func answer(_ token: String, in scope: AccountScope, _ result: AttemptResult) -> Bool {
        let delivery = state.withLock { $0.deliveries[token] }
        return delivery?.scope == scope && delivery?.result.resume(with: result) == true
    }

    /// Offers a notification to the listener, and returns the result that the listener reports.
    func deliver(_ body: [UInt8], _ entry: OutboxEntry, in scope: AccountScope) async -> AttemptResult {
        let begun = wallClock()
        let offer = Offer(token: UUID().uuidString.lowercased(), entry: entry, body: body)
        let result = Awaited<AttemptResult>()
        let isListening = state.withLock { state in
            guard var listener = state.listeners[scope] else { return false }
            state.deliveries[offer.token] = (scope, result)
            // A call whose wait has just ended does not take the offer.
            if !listener.calls.contains(where: { $0.resume(with: offer) }) { listener.offers.append(offer) }
            state.listeners[scope] = listener
            return true
        }
        guard isListening else { return AttemptResult(result: .socketIssue, milliseconds: 0) }
        var reported = await result.value(within: Self.timeout) ?? AttemptResult(result: .timedOut, milliseconds: 0)
        state.withLock { $0.deliveries[offer.token] = nil }
        reported.milliseconds = Int(wallClock().milliseconds - begun.milliseconds)
        return reported
    }

    /// Ends all waits of listeners, because the server stops.
    func stop() {
        for call in state.withLock({ $0.listeners.values.flatMap(\.calls) }) { call.resume(with: nil) }
    }

    /// Removes the listeners whose lease has expired.
    ///
    /// - Returns: the endpoints that they acted as.
    func endLeases(at now: Timestamp) -> [Registration] {
        state.withLock { state in
            let gone = state.listeners.filter { $0.value.leaseEnd < now && $0.value.calls.isEmpty }
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

    /// The body to post: `{"signedPayload":"…"}`; for a notification of version 1, the JSON object. Nil for a
    /// notification that is not signed yet.
    func postedBody(_ entry: OutboxEntry) throws -> [UInt8]? {
        if case .versionOne(let body) = entry.content { return body }
        guard let notification = SignedNotification(entry) else { return nil }
        let payload = try signedPayload(notification)
        var json = JSONWriter(capacity: payload.count + 32)
        json.put("signedPayload", quoting: payload)
        return json.finish()
    }
}
