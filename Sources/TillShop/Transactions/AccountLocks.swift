import DequeModule

/// Locks that let each account perform one operation at a time, in order of arrival. Operations on different accounts
/// do not wait for each other. The account's version in the database protects against concurrent writes by other
/// processes; the locks only avoid retries within this process.
actor AccountLocks {
    private var held: [String: Deque<CheckedContinuation<Void, Never>>] = [:]

    /// Runs a body while holding the locks of all keys. The locks are taken in ascending order to avoid deadlocks.
    nonisolated func holding<Value: Sendable>(
        _ keys: Set<String>,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let ordered = keys.sorted()
        for key in ordered { await take(key) }
        do {
            let value = try await body()
            for key in ordered { await release(key) }
            return value
        } catch {
            for key in ordered { await release(key) }
            throw error
        }
    }

    private func take(_ key: String) async {
        if held[key] == nil {
            held[key] = []
            return
        }
        await withCheckedContinuation { held[key]?.append($0) }
    }

    private func release(_ key: String) {
        if let next = held[key]?.popFirst() {
            next.resume()
        } else {
            held[key] = nil
        }
    }
}
