import Foundation
import Synchronization
import TillCore
import TillStorage

/// An event that a node publishes to the other nodes: accounts or deliveries are due on clocks, or were attempted. A
/// node that misses the event finds the due work later, when it checks its clocks.
struct NodeEvent: Codable, Equatable, Sendable {
    struct Item: Codable, Equatable, Sendable {
        var environment: StoreEnvironment
        var app: String
        var own: String?
        /// When an account has an event due on the clock; nil if only deliveries are due.
        var due: Timestamp?
        var hasPending: Bool
        /// Whether delivery attempts were recorded; nil means no.
        var hasAttempts: Bool?

        private enum CodingKeys: String, CodingKey {
            case app, own, due, hasPending, hasAttempts
            case environment = "realm"
        }

        var clock: ClockName { ClockName(AccountScope(environment: environment, app: app), own: own) }
    }

    /// The id of the node that publishes the event.
    var node: String
    var items: [Item]

    /// The maximum number of clocks in one event. PostgreSQL limits a notification to 8,000 bytes, and the name of a
    /// clock has at most about 300 bytes.
    static let maxItems = 16

    /// The event as the text of a message between nodes.
    var word: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Parses a message between nodes; nil if it is not an event.
    init?(word: String) {
        guard let nodeEvent = try? JSONDecoder().decode(NodeEvent.self, from: Data(word.utf8)) else { return nil }
        self = nodeEvent
    }

    init(node: String, items: [Item]) {
        self.node = node
        self.items = items
    }
}

/// Collects due accounts and deliveries, so that one message can publish many of them.
final class NodeEventQueue: Sendable {
    private let waiting = Mutex<[ClockName: NodeEvent.Item]>([:])

    func due(_ clock: ClockName, _ instant: Timestamp) {
        note(clock) { $0.due = min($0.due ?? instant, instant) }
    }

    func pending(_ clock: ClockName) { note(clock) { $0.hasPending = true } }

    func attempted(_ clock: ClockName) { note(clock) { $0.hasAttempts = true } }

    private func note(_ clock: ClockName, _ change: (inout NodeEvent.Item) -> Void) {
        waiting.withLock { waiting in
            let scope = clock.scope
            var item =
                waiting[clock]
                ?? NodeEvent.Item(
                    environment: scope.environment,
                    app: scope.app,
                    own: clock.own,
                    due: nil,
                    hasPending: false
                )
            change(&item)
            waiting[clock] = item
        }
    }

    /// Removes the collected items, and returns them as events of at most `maxItems` items.
    func take(as node: String) -> [NodeEvent] {
        let items = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        return stride(from: 0, to: items.count, by: NodeEvent.maxItems).map { start in
            NodeEvent(node: node, items: Array(items[start..<min(start + NodeEvent.maxItems, items.count)]))
        }
    }
}
