import AppStoreServer
import Foundation

/// The effects of a backend: lines of a file. Each line has the id of what caused the effect, so the effect and its id
/// are written together, and an effect is never repeated.
actor RecordedEffects: HandledNotifications {
    private let effects: FileHandle
    /// Everything that was handed over, also what had its effect already.
    private let handed: FileHandle
    private var known: Set<String>
    private var newest: [String: Timestamp] = [:]
    private var effectsBeforeKill: Int

    /// - Parameter folder: has `received.txt`, the ids of the notifications that the webhook has processed.
    init(folder: String, effectsBeforeKill: Int) throws {
        effects = try Self.open(folder + "/effects.txt")
        handed = try Self.open(folder + "/handed.txt")
        known = try Self.lines(folder + "/received.txt").union(Self.lines(folder + "/effects.txt"))
        self.effectsBeforeKill = effectsBeforeKill
    }

    /// Has the effect of a notification or transaction, unless it had it before.
    func apply(_ id: String) throws {
        guard known.insert(id).inserted else { return }
        try effects.write(contentsOf: Data("\(id)\n".utf8))
        try effects.synchronize()
        effectsBeforeKill -= 1
        if effectsBeforeKill == 0 { kill(getpid(), SIGKILL) }
    }

    /// Notes that a notification or transaction was handed over.
    func note(_ id: String) throws { try handed.write(contentsOf: Data("\(id)\n".utf8)) }

    func contains(_ notificationUUID: String) -> Bool { known.contains(notificationUUID) }

    func newestDate(of originalTransactionId: String) -> Timestamp? { newest[originalTransactionId] }

    /// The effect has the id of the notification, so only the date is new.
    func insert(_ notificationUUID: String, about originalTransactionId: String?, signedOn date: Timestamp) {
        guard let originalTransactionId else { return }
        newest[originalTransactionId] = max(newest[originalTransactionId] ?? date, date)
    }

    private static func open(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        // A line that was not written completely has had no effect.
        let complete = try file.readToEnd().map { $0.lastIndex(of: 10).map { $0 + 1 } ?? 0 } ?? 0
        try file.truncate(atOffset: UInt64(complete))
        return file
    }

    private static func lines(_ path: String) throws -> Set<String> {
        Set(try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").map(String.init))
    }
}
