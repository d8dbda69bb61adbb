import Foundation
import Synchronization
import TillCore
import TillStorage

/// All clocks, held in memory: every act asks one.
package final class Clocks: Sendable {
    /// A clock as the store keeps it.
    struct Record: Codable, Equatable, Sendable {
        var environment: StoreEnvironment
        var app: String
        var own: String?
        var state: ClockState
        /// An advance that is under way; a restart finishes it.
        var pendingAdvance: Advance?
        /// The time that the clock was set past while deliveries were pending. Nil for a clock that was never advanced
        /// or frozen since it was created, and in data of version 0.1.0.
        var skipped: SkippedTime?
        /// What a clock of customers' own showed when it was created; nil for that of an environment, and in data of
        /// version 0.1.0.
        var began: Timestamp?

        private enum CodingKeys: String, CodingKey {
            case app, own, state, skipped, began
            case environment = "realm"
            case pendingAdvance = "leap"
        }

        var name: ClockName { ClockName(AccountScope(environment: environment, app: app), own: own) }
        /// Under which the store has it.
        var documentName: String { "\(environment.rawValue)/\(app)" + (own.map { "#\($0)" } ?? "") }

        /// Freezes the clock, and notes the time that it skips.
        ///
        /// - Parameters:
        ///   - instant: where it is frozen; not earlier than `present`.
        ///   - present: what it shows now.
        mutating func freeze(at instant: Timestamp, from present: Timestamp) {
            if !state.moves, skipped == nil {
                // It was frozen before spans were noted, so nothing is known of the time before.
                skipped = SkippedTime([SkippedTime.Span(from: nil, to: present)])
            }
            skipped = skipped ?? SkippedTime()
            skipped?.skip(from: present, to: instant)
            state = .frozen(at: instant)
        }

        /// The date of an attempt to deliver that ends now (`SkippedTime.dateOfAttempt`).
        ///
        /// - Parameters:
        ///   - due: when the attempt fell due; nil for one that was not scheduled.
        ///   - wall: the wall-clock time.
        func dateOfAttempt(due: Timestamp?, wall: Timestamp) -> Timestamp {
            let now = state.shown(wall: wall)
            guard let due, due < now else { return now }
            if let skipped { return skipped.dateOfAttempt(due: due, now: now) }
            return state.moves ? now : due
        }
    }

    /// An advance that is under way.
    struct Advance: Codable, Equatable, Sendable {
        var to: Timestamp
        /// How the clock goes on from there: 0 is frozen, 1 as fast as the wall's.
        var speed: Double

        /// Whether an advance can be so (`ClockState.isPossible`).
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

    /// Whether somebody made the clock; that of an environment needs no making.
    package func exists(_ name: ClockName) -> Bool {
        name.own == nil || records.withLock { $0[name] != nil }
    }

    /// The names of clocks that customers of an app's environment have of their own.
    package func own(in scope: AccountScope) -> [String] {
        records.withLock { records in records.keys.filter { $0.scope == scope }.compactMap(\.own).sorted() }
    }

    /// Every clock that was ever set.
    var all: [Record] { records.withLock { Array($0.values) } }

    func record(_ name: ClockName) -> Record {
        records.withLock { $0[name] }
            ?? Record(environment: name.scope.environment, app: name.scope.app, own: name.own, state: .real)
    }

    /// What a clock shows. Nobody can stop it between the reading of its state and that of the wall clock.
    func now(on name: ClockName, wall: () -> Timestamp) -> Timestamp {
        records.withLock { ($0[name]?.state ?? .real).shown(wall: wall()) }
    }

    /// The date of an attempt to deliver that ends now (`SkippedTime.dateOfAttempt`).
    ///
    /// - Parameter due: when the attempt fell due; nil for one that was not scheduled.
    func dateOfAttempt(due: Timestamp?, on name: ClockName, wall: () -> Timestamp) -> Timestamp {
        records.withLock { records in
            let wall = wall()
            return records[name]?.dateOfAttempt(due: due, wall: wall) ?? wall
        }
    }

    /// Stops a clock while a body sets it, so that nobody is told a later time than that from which it goes on.
    ///
    /// - Parameter body: gets what the clock shows. When it throws, the clock goes on as before.
    func stopping<Value>(
        _ name: ClockName,
        wall: () -> Timestamp,
        _ body: (Timestamp) async throws -> Value
    ) async throws -> Value {
        let (before, stopped) = records.withLock { records in
            let before = records[name]
            var stopped =
                before ?? Record(environment: name.scope.environment, app: name.scope.app, own: name.own, state: .real)
            stopped.state = .frozen(at: stopped.state.shown(wall: wall()))
            records[name] = stopped
            return (before, stopped)
        }
        do {
            return try await body(stopped.state.shown(wall: wall()))
        } catch {
            records.withLock { if $0[name] == stopped { $0[name] = before } }
            throw error
        }
    }

    /// Sets a clock, durably.
    func put(_ record: Record) async throws {
        try await storage.put([Document(kind: .clock, name: record.documentName, app: record.app, encoding: record)])
        records.withLock { $0[record.name] = record }
    }
}
