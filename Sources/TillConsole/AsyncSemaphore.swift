/// Limits how many CPU-heavy tasks run at once, so that they leave processors for the shop. Others wait in FIFO order.
actor AsyncSemaphore {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let maxWaiting: Int

    /// - Parameters:
    ///   - permits: how many tasks may run at once.
    ///   - maxWaiting: how many tasks may wait; further tasks are rejected.
    init(_ permits: Int, maxWaiting: Int = .max) {
        free = permits
        self.maxWaiting = maxWaiting
    }

    /// Runs the work when a permit is free; nil if too many tasks are waiting.
    nonisolated func run<Value>(_ work: () async throws -> Value) async rethrows -> Value? {
        guard await acquire() else { return nil }
        do {
            let value = try await work()
            await release()
            return value
        } catch {
            await release()
            throw error
        }
    }

    private func acquire() async -> Bool {
        guard free == 0 else {
            free -= 1
            return true
        }
        guard waiting.count < maxWaiting else { return false }
        await withCheckedContinuation { waiting.append($0) }
        return true
    }

    private func release() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
