import Synchronization

/// A value that one task waits for, at most for a time. Only the first call of `resume` counts.
final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case waiting(CheckedContinuation<Value?, Never>)
        case resumed(Value?)
    }

    private let state = Mutex(State.pending)

    /// Ends the wait, which may not have begun yet; nil ends it without a value.
    ///
    /// - Returns: false if the wait has already ended.
    @discardableResult
    func resume(with value: Value?) -> Bool {
        let before = state.withLock { state in
            defer { if case .resumed = state {} else { state = .resumed(value) } }
            return state
        }
        switch before {
        case .pending: break
        case .waiting(let task): task.resume(returning: value)
        case .resumed: return false
        }
        return true
    }

    /// Waits for the value; nil if it does not arrive in time, or if the task is cancelled.
    func value(within limit: Duration) async -> Value? {
        let timer = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            resume(with: nil)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let value: Value?? = state.withLock { state in
                    if case .resumed(let value) = state { return .some(value) }
                    state = .waiting(task)
                    return .none
                }
                if let value { task.resume(returning: value) }
            }
        } onCancel: {
            resume(with: nil)
        }
    }
}
