import Foundation
import Synchronization
import TillCore
import TillStorage

/// All clocks. They are kept in memory, because every operation reads a clock.
package final class Clocks: Sendable {
    /// A clock as it is stored.
    struct Record: Codable, Equatable, Sendable {
        var environment: StoreEnvironment
        var app: String
        var own: String?
        var state: ClockState
        /// The advance in progress. After a restart, the server finishes it.
        var pendingAdvance: Advance?
        /// The time that the clock skipped while deliveries were pending. Nil for a clock that was never advanced or
        /// frozen, and in data of version 0.1.0.
        var skipped: SkippedTime?
        /// What a customer clock showed when it was created; nil for an environment's clock, and in data of version
        /// 0.1.0.
        var began: Timestamp?
        /// True for a clock that an import created; otherwise nil. It is deleted with its last customer.
        var isForImport: Bool?

        private enum CodingKeys: String, CodingKey {
            case app, own, state, skipped, began, isForImport
            case environment = "realm"
            case pendingAdvance = "leap"
        }

        var name: ClockName { ClockName(AccountScope(environment: environment, app: app), own: own) }
        /// The name of the clock's document in the store.
        var documentName: String { "\(environment.rawValue)/\(app)" + (own.map { "#\($0)" } ?? "") }

        /// Freezes the clock, and records the time that it skips.
        ///
        /// - Parameters:
        ///   - instant: the time at which the clock is frozen; not earlier than `present`.
        ///   - present: what the clock shows now.
        mutating func freeze(at instant: Timestamp, from present: Timestamp) {
            if !state.moves, skipped == nil {
                // An earlier version froze the clock and recorded no spans, so what it skipped before is unknown.
                skipped = SkippedTime([SkippedTime.Span(from: nil, to: present)])
            }
            skipped = skipped ?? SkippedTime()
            skipped?.skip(from: present, to: instant)
            state = .frozen(at: instant)
        }

        /// The date of a delivery attempt that ends now (`SkippedTime.dateOfAttempt`).
        ///
        /// - Parameters:
        ///   - due: when the attempt was due; nil for an attempt that was not scheduled.
        ///   - realTime: the wall-clock time.
        func dateOfAttempt(due: Timestamp?, realTime: Timestamp) -> Timestamp {
            let now = state.shown(realTime: realTime)
            guard let due, due < now else { return now }
            if let skipped { return skipped.dateOfAttempt(due: due, now: now) }
            return state.moves ? now : due
        }
    }

    /// An advance in progress.
    struct Advance: Codable, Equatable, Sendable {
        var to: Timestamp
        /// The speed of the clock after the advance, as a multiple of real time. 0 freezes the clock.
        var speed: Double

        /// Whether the target and the speed are valid (`ClockState.isPossible`).
        var isPossible: Bool {
            ClockState.frozen(at: to).isPossible && (0...ClockState.maxSpeed).contains(speed)
        }
    }

    private let storage: any Storage
    /// Returns real time.
    let wallClock: @Sendable () -> Timestamp
    private let records: Mutex<[ClockName: Record]>
    /// Advances in progress.
    let advances = RunningAdvances()

    init(storage: any Storage, wallClock: @escaping @Sendable () -> Timestamp) async throws {
        self.storage = storage
        self.wallClock = wallClock
        records = Mutex(try await Self.read(storage))
    }

    /// Reloads all clocks from the store, because other nodes may have changed some.
    ///
    /// - Returns: the clocks that changed.
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

    /// The state of a clock; real time if it was never set.
    package func state(_ name: ClockName) -> ClockState {
        records.withLock { $0[name]?.state } ?? .real
    }

    /// Whether the clock exists; an environment's clock always does.
    package func exists(_ name: ClockName) -> Bool {
        name.own == nil || records.withLock { $0[name] != nil }
    }

    /// The names of the customer clocks in an app's environment.
    package func own(in scope: AccountScope) -> [String] {
        records.withLock { records in records.keys.filter { $0.scope == scope }.compactMap(\.own).sorted() }
    }

    /// The clocks of an app's environment: its own clock first, then the customer clocks.
    package func names(in scope: AccountScope) -> [ClockName] {
        [ClockName(scope)] + own(in: scope).map { ClockName(scope, own: $0) }
    }

    /// Every clock that was ever set.
    var all: [Record] { records.withLock { Array($0.values) } }

    func record(_ name: ClockName) -> Record {
        records.withLock { $0[name] }
            ?? Record(environment: name.scope.environment, app: name.scope.app, own: name.own, state: .real)
    }

    /// What a clock shows. State and wall clock are read under the lock, so that the clock cannot be stopped in
    /// between.
    func now(on name: ClockName) -> Timestamp {
        records.withLock { ($0[name]?.state ?? .real).shown(realTime: wallClock()) }
    }

    /// The date of a delivery attempt that ends now (`SkippedTime.dateOfAttempt`).
    ///
    /// - Parameter due: when the attempt was due; nil for an attempt that was not scheduled.
    func dateOfAttempt(due: Timestamp?, on name: ClockName) -> Timestamp {
        records.withLock { records in
            let realTime = wallClock()
            return records[name]?.dateOfAttempt(due: due, realTime: realTime) ?? realTime
        }
    }

    /// Stops a clock while a body sets it. Otherwise a reader could see a time later than the time from which the clock
    /// continues.
    ///
    /// - Parameter body: receives what the clock shows. If the body throws, the clock continues as before.
    func stopping<Value>(
        _ name: ClockName,
        _ body: (Timestamp) async throws -> Value
    ) async throws -> Value {
        let (before, stopped) = records.withLock { records in
            let before = records[name]
            var stopped =
                before ?? Record(environment: name.scope.environment, app: name.scope.app, own: name.own, state: .real)
            stopped.state = .frozen(at: stopped.state.shown(realTime: wallClock()))
            records[name] = stopped
            return (before, stopped)
        }
        do {
            return try await body(stopped.state.shown(realTime: wallClock()))
        } catch {
            records.withLock { if $0[name] == stopped { $0[name] = before } }
            throw error
        }
    }

    /// Sets and stores a clock.
    func put(_ record: Record) async throws {
        try await storage.put([Document(kind: .clock, name: record.documentName, app: record.app, encoding: record)])
        records.withLock { $0[record.name] = record }
    }

    /// Removes a clock.
    func remove(_ name: ClockName) async throws {
        try await storage.removeDocument(.clock, name: record(name).documentName)
        records.withLock { _ = $0.removeValue(forKey: name) }
    }
}
