import DequeModule
import Logging
import TillCore
import TillStorage

/// Logs why requests were refused. Writes are deferred and grouped, so that a flood of refusals does not slow down the
/// ledger. A read flushes first, so that no entry is missing.
package actor RequestLog {
    private let storage: any Storage
    private let logger: Logger
    private var pending = Deque<RequestLogEntry>()
    /// The write in progress. Its entries are no longer pending and not yet in the store.
    private var writing: Task<Void, Never>?
    private var isWritePlanned = false
    private let keeping: Int
    /// The maximum number of pending entries; beyond it the oldest are dropped.
    private static let maxPending = 2_048

    init(storage: any Storage, logger: Logger, keeping: Int = 10_000) {
        self.storage = storage
        self.logger = logger
        self.keeping = keeping
    }

    /// Adds an entry.
    package func note(_ entry: RequestLogEntry) {
        if pending.count >= Self.maxPending { pending.removeFirst() }
        pending.append(entry)
        guard !isWritePlanned else { return }
        isWritePlanned = true
        Task {
            try? await Task.sleep(for: .milliseconds(50))
            isWritePlanned = false
            await flush()
        }
    }

    /// The entry of a request id.
    package func entry(_ id: String) async throws -> RequestLogEntry? {
        await flush()
        return try await storage.requestLogEntry(id)
    }

    /// The newest entries first.
    package func latest(_ limit: Int) async throws -> [RequestLogEntry] {
        await flush()
        return try await storage.requestLog(limit: limit)
    }

    /// The newest entries first, below a number; nil starts with the newest.
    package func page(before number: Int64?, _ limit: Int) async throws -> [NumberedEntry] {
        await flush()
        return try await storage.requestLog(before: number ?? .max, limit: limit)
    }

    /// Writes the pending entries, and returns once all earlier entries are in the store.
    package func flush() async {
        while let running = writing {
            await running.value
            if writing == running { writing = nil }
        }
        guard !pending.isEmpty else { return }
        let entries = Array(pending)
        pending.removeAll()
        let task = Task { await write(entries) }
        writing = task
        await task.value
        if writing == task { writing = nil }
    }

    private func write(_ entries: [RequestLogEntry]) async {
        do {
            try await storage.appendRequestLog(entries, keeping: keeping)
        } catch {
            logger.warning("the request log could not be written", metadata: ["cause": "\(error.logText)"])
        }
    }
}
