import TillCore
import TillStorage

/// How to set a clock.
package enum ClockChange: Equatable, Sendable {
    /// Freezes the clock at the time that it shows, or at a later instant.
    case freeze(at: Timestamp?)
    /// Runs the clock at a multiple of real time.
    case run(speed: Double)
    /// Makes the clock show real time. A clock that is ahead of real time refuses this.
    case real
}

/// Creates, shows, sets and removes clocks.
extension Shop {
    /// The state of a clock; nil for a customer clock that does not exist.
    package func clock(_ name: ClockName) -> ClockState? {
        clocks.exists(name) ? clocks.state(name) : nil
    }

    /// Creates a customer clock.
    ///
    /// - Parameter isForImport: whether the clock is that of an imported customer, and is deleted with the customer.
    package func createClock(_ name: ClockName, _ state: ClockState, isForImport: Bool = false) async throws {
        try settings.checkMayMove(name)
        try await exclusively(name.lockKey) {
            guard name.own != nil, !clocks.exists(name) else {
                throw ClockRefused(
                    code: "clock_exists",
                    message: "A clock \(name.key) already exists. Put customers on it, or choose another name."
                )
            }
            var record = clocks.record(name)
            record.state = state
            let shown = state.shown(realTime: wallClock())
            if state != .real { try ClockState.requireBeforeEnd(shown) }
            record.began = shown
            record.isForImport = isForImport ? true : nil
            try await clocks.put(record)
            // Scheduled jobs take effect on the new clock, too.
            signals.moved(name)
        }
    }

    /// Removes a customer clock to which no customer was assigned.
    package func removeClock(_ name: ClockName) async throws {
        try await exclusively(name.lockKey) { try await clocks.remove(name) }
    }

    /// Sets a clock. A clock never goes back, because purchases with later dates may already exist.
    package func setClock(_ name: ClockName, _ change: ClockChange) async throws -> ClockState {
        if change != .real { try settings.checkMayMove(name) }
        if case .freeze(let instant?) = change, instant > now(on: name) {
            try ClockState.requireBeforeEnd(instant)
            // Freezing a clock at a later instant is an advance: it processes every event that is due until that
            // instant.
            _ = try await pendingAdvance(on: name, to: instant, thenAt: 0)
            return clocks.state(name)
        }
        return try await exclusively(name.lockKey) {
            var record = clocks.record(name)
            if case .freeze = change { try await forgetSkippedTime(of: &record) }
            try await clocks.stopping(name) { present in
                try set(&record, change, from: present)
                try await clocks.put(record)
            }
            signals.moved(name)
            return record.state
        }
    }

    /// Changes the state of a clock, starting from the time that the clock shows.
    private func set(_ record: inout Clocks.Record, _ change: ClockChange, from present: Timestamp) throws {
        switch change {
        case .freeze(let instant):
            if let instant, instant < present { throw goingBack(record.name, from: present, to: instant) }
            record.freeze(at: instant ?? present, from: present)
        case .run(let speed):
            record.state = try .started(from: present, since: wallClock(), speed: speed)
        case .real:
            let realTime = wallClock()
            if present > realTime { throw goingBack(record.name, from: present, to: realTime) }
            record.state = .real
        }
    }

    func goingBack(_ name: ClockName, from present: Timestamp, to instant: Timestamp) -> ClockRefused {
        ClockRefused(
            code: "clock_goes_forward",
            message: "The clock shows \(present.iso8601) and cannot go back to \(instant.iso8601). "
                + "Create a customer clock and put customers on it instead."
        )
    }

    /// Removes the skipped spans in which no pending delivery is due any more, to keep the record small.
    func forgetSkippedTime(of record: inout Clocks.Record) async throws {
        guard record.skipped != nil else { return }
        let earliest = try await earliestDelivery(on: record.name)
        record.skipped?.forget(before: earliest)
    }
}

extension ClockName {
    var lockKey: String { "clock/\(scope.environment.rawValue)/\(scope.app)#\(key)" }
}
