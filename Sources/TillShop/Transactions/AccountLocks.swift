import DequeModule
import Synchronization

/// Locks that let each account perform one operation at a time, in order of arrival. Operations on different accounts
/// do not wait for each other. The account's version in the database protects against concurrent writes by other
/// processes; the locks only avoid retries within this process.
final class AccountLocks: Sendable {
    private let held = Mutex<[String: Deque<CheckedContinuation<Void, Never>>]>([:])

    /// Runs a body while holding the locks of all keys. The locks are acquired in ascending order to avoid deadlocks.
    func holding<Value: Sendable>(_ keys: Set<String>, _ body: () async throws -> Value) async throws -> Value {
        let ordered = keys.sorted()
        for key in ordered {
            await withCheckedContinuation { going in
                let isFree = held.withLock { held in
                    guard held[key] != nil else {
                        held[key] = []
                        return true
                    }
                    held[key]?.append(going)
                    return false
                }
                if isFree { going.resume() }
            }
        }
        defer { release(ordered) }
        return try await body()
    }

    private func release(_ keys: [String]) {
        for key in keys {
            let next = held.withLock { held in
                let next = held[key]?.popFirst()
                if next == nil { held[key] = nil }
                return next
            }
            next?.resume()
        }
    }
}
