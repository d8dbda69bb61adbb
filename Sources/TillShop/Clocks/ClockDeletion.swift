import TillCore
import TillStorage

/// Deletes customer clocks.
extension Shop {
    /// Deletes a customer clock that no customer uses.
    ///
    /// - Throws: `ClockRefused` if a customer uses the clock, or a delivery is pending on it.
    package func deleteClock(_ name: ClockName) async throws {
        let record = try await gate.shared {
            try await exclusively(name.lockKey) {
                try requireClock(name)
                try await requireUnused(name)
                let record = clocks.record(name)
                try await clocks.remove(name)
                return record
            }
        }
        // An operation that began before the removal may have assigned the clock after the check. The exclusive lock
        // waits for the end of such operations.
        try await gate.exclusive {
            do {
                try await requireUnused(name)
            } catch {
                try await clocks.put(record)
                throw error
            }
        }
        signals.moved(name)
    }

    /// Deletes the clock that an import created, unless a customer uses it or a delivery is pending on it. After that,
    /// the same customer can be imported again.
    package func deleteClock(ofImport name: ClockName) async throws {
        guard clocks.exists(name), clocks.record(name).isForImport ?? false else { return }
        do {
            try await deleteClock(name)
        } catch is ClockRefused {
            // The clock stays.
        }
    }

    /// Refuses to assign a clock that does not exist.
    ///
    /// - Throws: `ClockRefused`.
    func requireClock(_ name: ClockName) throws {
        guard !clocks.exists(name) else { return }
        throw ClockRefused(code: "unknown_clock", message: "There is no clock \(name.key); create it first.")
    }

    private func requireUnused(_ name: ClockName) async throws {
        var after: AccountID?
        while true {
            let page = try await storage.storedAccounts(of: name.scope, after: after, limit: 500)
            for case .sound(let account) in page where account.clock == name.own {
                throw ClockRefused(
                    code: "clock_in_use",
                    message: "The customer \(account.customer) uses the clock \(name.own ?? ""). Assign another clock "
                        + "to all its customers first (till customer update \(account.customer) --no-clock)."
                )
            }
            guard let last = page.last else { break }
            after = last.id
        }
        let pending = try await storage.pendingDeliveries(on: name, until: nil)
        guard pending == 0 else {
            throw ClockRefused(
                code: "clock_in_use",
                message: "The clock \(name.own ?? "") has \(pending) pending deliveries. Advance it until they are "
                    + "made, or delete their endpoint."
            )
        }
    }
}
