import DequeModule
import Logging
import TillCore
import TillStorage

/// Notes why requests were refused. Writing is put off and grouped, so that a flood of refusals costs the ledger
/// nothing; reading writes first, so that nothing noted is missing.
package actor RequestLog {
    private let storage: any Storage
    private let logger: Logger
    private var pending = Deque<RequestLogEntry>()
    /// The write that is under way; what it carries is no longer pending and not yet in the store.
    private var writing: Task<Void, Never>?
    private var isWritePlanned = false
    private let keeping: Int
    /// Entries that wait at the most; beyond it the oldest are dropped.
    private static let mostPending = 2_048

    init(storage: any Storage, logger: Logger, keeping: Int = 10_000) {
        self.storage = storage
        self.logger = logger
        self.keeping = keeping
    }

    /// Notes a refusal.
    package func note(_ entry: RequestLogEntry) {
        if pending.count >= Self.mostPending { pending.removeFirst() }
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
        return try await storage.journalEntry(id)
    }

    /// The newest entries first.
    package func latest(_ limit: Int) async throws -> [RequestLogEntry] {
        await flush()
        return try await storage.requestLog(limit: limit)
    }

    /// The newest first, of those before a number; nil begins with the newest.
    package func page(before number: Int64?, _ limit: Int) async throws -> [NumberedEntry] {
        await flush()
        return try await storage.requestLog(before: number ?? .max, limit: limit)
    }

    /// Writes what waits, and returns once everything noted before is in the store.
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
            try await storage.appendJournal(entries, keeping: keeping)
        } catch {
            logger.warning("the journal was not written", metadata: ["cause": "\(error.logText)"])
        }
    }
}
