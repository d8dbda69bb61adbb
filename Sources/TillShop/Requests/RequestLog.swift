import DequeModule
import Logging
import TillCore
import TillStorage

/// Logs why requests were rejected. It defers and groups its writes, so that many rejected requests do not slow down
/// the ledger. Every read writes the pending entries first, so that its result is complete.
package actor RequestLog {
    private let storage: any Storage
    private let logger: Logger
    private var pending = Deque<RequestLogEntry>()
    /// The write in progress. Its entries are no longer pending and not yet in the store.
    private var writing: Task<Void, Never>?
    private var isWritePlanned = false
    private let keeping: Int
    /// The maximum number of pending entries. If more arrive, the oldest entries are dropped.
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

    /// The entry with a request id; nil if there is none.
    package func entry(_ id: String) async throws -> RequestLogEntry? {
        await flush()
        return try await storage.requestLogEntry(id)
    }

    /// The newest entries, newest first.
    package func latest(_ limit: Int) async throws -> [RequestLogEntry] {
        await flush()
        return try await storage.requestLog(limit: limit)
    }

    /// The entries with numbers below a given number, newest first; nil starts with the newest entry.
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
