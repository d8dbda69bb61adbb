import DequeModule
import Synchronization
import TillCore
import TillStorage

/// Locks that let each account perform one operation at a time, in order of arrival. Operations on different accounts
/// do not wait for each other. The account's version in the database protects against concurrent writes by other
/// processes; the locks only avoid retries within this process.
final class AccountLocks: Sendable {
    private let held = Mutex<[String: Deque<CheckedContinuation<Void, Never>>]>([:])

    /// Runs a body while holding the locks of all keys.
    func holding<Value: Sendable>(_ keys: Set<String>, _ body: () async throws -> Value) async throws -> Value {
        if !tryLock(keys) { await lock(keys) }
        defer { unlock(keys) }
        return try await body()
    }

    /// Acquires all locks if none of them is held.
    func tryLock(_ keys: Set<String>) -> Bool {
        held.withLock { held in
            guard keys.allSatisfy({ held[$0] == nil }) else { return false }
            for key in keys { held[key] = [] }
            return true
        }
    }

    /// Acquires the locks in ascending order, to avoid deadlocks.
    func lock(_ keys: Set<String>) async {
        for key in keys.sorted() {
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
    }

    func unlock(_ keys: Set<String>) {
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

extension CustomerName {
    /// The key of the lock of the customer's account.
    var lockKey: String { "\(scope.environment.rawValue)/\(scope.app)/\(customer)" }
}
