import Foundation
import Synchronization
import TillCore
import TillStorage

/// What one node tells the others: that something falls due, or is owed, on a clock. Who misses it finds out by itself
/// a little later.
struct NodeEvent: Codable, Equatable, Sendable {
    struct Item: Codable, Equatable, Sendable {
        var environment: StoreEnvironment
        var app: String
        var own: String?
        /// When something falls due; nil when nothing earlier than before.
        var due: Timestamp?
        var isOwed: Bool

        private enum CodingKeys: String, CodingKey {
            case app, own, due, isOwed
            case environment = "realm"
        }

        var clock: ClockName { ClockName(AccountScope(environment: environment, app: app), own: own) }
    }

    /// Who tells it.
    var node: String
    var items: [Item]

    /// A server takes words of less than eight thousand bytes; a clock's name has some three hundred at the most.
    static let mostItems = 16

    /// As a word between nodes.
    var word: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// Reads a word; nil for one that is no news.
    init?(word: String) {
        guard let nodeEvent = try? JSONDecoder().decode(NodeEvent.self, from: Data(word.utf8)) else { return nil }
        self = nodeEvent
    }

    init(node: String, items: [Item]) {
        self.node = node
        self.items = items
    }
}

/// Collects what is to be told, so that many changes are one word.
final class NodeEventQueue: Sendable {
    private let waiting = Mutex<[ClockName: NodeEvent.Item]>([:])

    func due(_ clock: ClockName, _ instant: Timestamp) {
        note(clock) { $0.due = min($0.due ?? instant, instant) }
    }

    func owed(_ clock: ClockName) { note(clock) { $0.isOwed = true } }

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
                    isOwed: false
                )
            change(&item)
            waiting[clock] = item
        }
    }

    /// Takes out what waits, in words of a bearable length.
    func take(as node: String) -> [NodeEvent] {
        let items = waiting.withLock { waiting in
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        return stride(from: 0, to: items.count, by: NodeEvent.mostItems).map { start in
            NodeEvent(node: node, items: Array(items[start..<min(start + NodeEvent.mostItems, items.count)]))
        }
    }
}
