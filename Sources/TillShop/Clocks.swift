import Foundation
import Synchronization
import TillCore
import TillStorage

/// All clocks, held in memory: every act asks one.
package final class Clocks: Sendable {
    /// A clock as the store keeps it.
    struct Record: Codable, Equatable, Sendable {
        var realm: Realm
        var app: String
        var own: String?
        var state: ClockState
        /// A leap that is under way; a restart finishes it.
        var leap: Leap?

        var name: ClockName { ClockName(AccountScope(realm: realm, app: app), own: own) }
        /// Under which the store has it.
        var documentName: String { "\(realm.rawValue)/\(app)" + (own.map { "#\($0)" } ?? "") }
    }

    /// A leap that is under way.
    struct Leap: Codable, Equatable, Sendable {
        var to: Timestamp
        /// How the clock goes on from there: 0 is frozen, 1 as fast as the wall's.
        var speed: Double

        /// Whether a leap can be so (`ClockState.isPossible`).
        var isPossible: Bool {
            ClockState.frozen(at: to).isPossible && (0...ClockState.mostSpeed).contains(speed)
        }
    }

    private let storage: any Storage
    private let records: Mutex<[ClockName: Record]>

    init(storage: any Storage) async throws {
        self.storage = storage
        records = Mutex(try await Self.read(storage))
    }

    /// Follows the store, in which others may have changed anything.
    ///
    /// - Returns: the clocks that go otherwise than before.
    @discardableResult
    func reload() async throws -> [ClockName] {
        let read = try await Self.read(storage)
        return records.withLock { records in
            defer { records = read }
            return Set(records.keys).union(read.keys).filter { records[$0] != read[$0] }
        }
    }

    private static func read(_ storage: any Storage) async throws -> [ClockName: Record] {
        var read: [ClockName: Record] = [:]
        for document in try await storage.documents(.clock) {
            let record = try document.decoded(as: Record.self)
            read[record.name] = record
        }
        return read
    }

    /// How a clock goes; one that nobody set is real.
    package func state(_ name: ClockName) -> ClockState {
        records.withLock { $0[name]?.state } ?? .real
    }

    /// Whether somebody made the clock; that of a realm needs no making.
    package func exists(_ name: ClockName) -> Bool {
        name.own == nil || records.withLock { $0[name] != nil }
    }

    /// The names of clocks that customers of an app's realm have of their own.
    package func own(in scope: AccountScope) -> [String] {
        records.withLock { records in records.keys.filter { $0.scope == scope }.compactMap(\.own).sorted() }
    }

    /// Every clock that was ever set.
    var all: [Record] { records.withLock { Array($0.values) } }

    func record(_ name: ClockName) -> Record {
        records.withLock { $0[name] }
            ?? Record(realm: name.scope.realm, app: name.scope.app, own: name.own, state: .real, leap: nil)
    }

    /// Sets a clock, durably.
    func put(_ record: Record) async throws {
        try await storage.put([Document(kind: .clock, name: record.documentName, app: record.app, encoding: record)])
        records.withLock { $0[record.name] = record }
    }
}
