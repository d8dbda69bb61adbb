import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// Imports an exported state. The import reads the rows into a temporary snapshot. The snapshot replaces the current
/// state only after the file's last line has proved that the file is complete and unchanged.
package struct StateImport: ~Copyable {
    private let shop: Shop
    private let name: String
    private var digest = SHA256()
    private var line: [UInt8] = []
    private var lineNumber = 0
    private var head: StateFile.Head?
    private var foot: StateFile.Foot?
    /// The table whose rows follow; nil before the first table.
    private var table: ShopTable?
    /// Whether the rows that follow are companions. They have the form of documents.
    private var isCompanions = false
    private var seen: Set<String> = []
    private var rows = 0
    private var check: StateCheck
    private var waiting: [TableRow] = []
    private var waitingBytes = 0
    private var companions: [Document] = []
    private var companionBytes = 0

    /// The number of rows after which they are stored.
    private static let batch = 500
    /// The number of bytes after which the rows are stored, even if there are fewer than `batch` rows.
    private static let batchBytes = 4 << 20
    private static let maxCompanions = 10_000

    /// Begins an import.
    ///
    /// - Parameter confirmation: required by the production guard.
    /// - Throws: `StateRefused` if the operator forbids imports.
    package init(_ shop: Shop, confirmation: String? = nil) throws {
        try shop.settings.checkMayReplace(confirmation)
        self.shop = shop
        check = StateCheck(settings: shop.settings)
        name = shop.snapshots.temporaryName("import")
    }

    /// Reads the next bytes of the file.
    ///
    /// - Throws: `StateRefused` for an error in the file; the caller must then call ``abandon()``.
    package mutating func take(_ bytes: some Collection<UInt8>) async throws {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            try await takeLine()
            rest = rest[rest.index(after: end)...]
        }
        line += rest
        guard line.count <= StateFile.maxLine else {
            throw refused("a line is longer than \(StateFile.maxLine) bytes")
        }
    }

    /// Replaces the current state. Call this after the last bytes of the file.
    ///
    /// - Returns: a description of the imported state.
    package consuming func finish() async throws -> Snapshot {
        let head: StateFile.Head
        do {
            if !line.isEmpty { try await takeLine() }
            head = try await whole()
        } catch {
            await abandon()
            throw error
        }
        let (shop, name, companions, highWater) = (shop, name, companions, check.highestCounter + 1)
        let snapshot = Snapshot(name: name, app: head.app, savedAt: shop.wallClock())
        // If the state has no rows, the snapshot does not exist yet.
        try await shop.storage.add([], of: .documents, to: snapshot)
        let counted = try await shop.storage.snapshots().first { $0.name == name } ?? snapshot
        do {
            try await shop.replacing {
                try await shop.storage.reserveIdentifiers(below: highWater)
                // The companions are added to the snapshot, so that either both they and the state are restored or
                // nothing is.
                let missing = try await shop.missing(of: companions)
                try await shop.storage.add(missing.map(\.row), of: .documents, to: snapshot)
                try await shop.snapshots.restore(name)
                try await shop.forgetHighWaterMarks()
            }
        } catch {
            try? await shop.storage.remove(snapshot: name)
            throw error
        }
        try await shop.storage.remove(snapshot: name)
        return counted
    }

    private func whole() async throws -> StateFile.Head {
        guard let head, foot != nil else { throw refused("the file ends before its last line") }
        let missing = ShopTable.allCases.map(\.rawValue).filter { !seen.contains($0) }
        guard check.highestCounter < Identifiers.lastBeforeEnd else {
            throw refused("the identifiers are so close to their maximum that no purchase would be possible")
        }
        guard missing.isEmpty else { throw refused("the table \(missing.joined(separator: ", ")) is missing") }
        if let fault = check.relations.faultAtEnd() { throw StateRefused.badFile(line: fault.line, fault.words) }
        if let fault = check.fault(in: companions) { throw refused(fault) }
        let known = companions.filter { $0.kind == .chain } + (try await shop.storage.documents(.chain))
        if let fault = check.fault(withChains: Set(known.map(\.name))) { throw refused(fault) }
        return head
    }

    /// Discards the import.
    package func abandon() async {
        try? await shop.storage.remove(snapshot: name)
    }

    // MARK: Lines

    private mutating func takeLine() async throws {
        lineNumber += 1
        let text = line
        line = []
        guard foot == nil else { throw refused("something follows the last line") }
        if head == nil {
            try takeHead(text)
        } else if text.first == UInt8(ascii: "[") {
            try await takeRow(text)
        } else if let part = try? JSONDecoder().decode(StateFile.Part.self, from: Data(text)) {
            try await flush()
            try begin(part)
        } else {
            try await takeFoot(text)
            return
        }
        digest.update(data: text)
        digest.update(data: [UInt8(ascii: "\n")])
    }

    private mutating func takeHead(_ text: [UInt8]) throws {
        guard let head = try? JSONDecoder().decode(StateFile.Head.self, from: Data(text)), head.till == "state" else {
            throw refused("the file is not a state that Till exported")
        }
        guard head.format == StateFile.format else {
            throw refused("the format is \(head.format); this Till reads format \(StateFile.format)")
        }
        self.head = head
        check.app = head.app
    }

    private mutating func begin(_ part: StateFile.Part) throws {
        guard seen.insert(part.table).inserted else { throw refused("the table \(part.table) occurs twice") }
        isCompanions = part.table == StateFile.companions
        guard let table = isCompanions ? .documents : ShopTable(rawValue: part.table) else {
            throw refused("there is no table \(part.table.prefix(64))")
        }
        guard ShopTable.allCases.prefix(while: { $0 != table }).allSatisfy({ seen.contains($0.rawValue) }) else {
            throw refused("the table \(part.table) comes too early")
        }
        guard part.columns == table.columns.map(\.name) else {
            throw refused("the columns of \(part.table) belong to another version of Till")
        }
        self.table = table
    }

    private mutating func takeRow(_ text: [UInt8]) async throws {
        rows += 1
        guard let table else { throw refused("a row comes before any table") }
        guard !isCompanions else { return try takeCompanion(text) }
        guard let row = StateFile.row(text, of: table) else {
            throw refused("the line is not a row of \(table.rawValue)")
        }
        if let fault = check.fault(in: row, of: table, line: lineNumber) { throw refused(fault) }
        waiting.append(row)
        waitingBytes += text.count
        if waiting.count >= Self.batch || waitingBytes >= Self.batchBytes { try await flush() }
    }

    private mutating func takeCompanion(_ text: [UInt8]) throws {
        guard let document = StateFile.row(text, of: .documents).flatMap({ Document($0) }) else {
            throw refused("the line is not a document")
        }
        guard [.team, .key, .chain].contains(document.kind), companions.count < Self.maxCompanions else {
            throw refused("a document of the kind \(document.kind.rawValue) cannot be a companion")
        }
        if let fault = Registry.fault(in: document) { throw refused(fault) }
        companionBytes += text.count
        guard companionBytes <= StateFile.maxLine else { throw refused("the companions are too long") }
        companions.append(document)
    }

    private mutating func takeFoot(_ text: [UInt8]) async throws {
        guard let foot = try? JSONDecoder().decode(StateFile.Foot.self, from: Data(text)) else {
            throw refused("the line is neither a row nor a table")
        }
        try await flush()
        let sum = Hexadecimal.text(digest.finalize())
        guard foot.rows == rows, foot.sha256 == sum else {
            throw refused("the file was changed: its digest or its row count differs")
        }
        self.foot = foot
    }

    private mutating func flush() async throws {
        guard let table, !waiting.isEmpty else { return }
        let snapshot = Snapshot(name: name, app: head?.app, savedAt: shop.wallClock())
        try await shop.storage.add(waiting, of: table, to: snapshot)
        waiting = []
        waitingBytes = 0
    }

    private func refused(_ what: String) -> StateRefused { .badFile(line: max(lineNumber, 1), what) }
}

extension Shop {
    /// The documents whose names are not in the database.
    fileprivate func missing(of documents: [Document]) async throws -> [Document] {
        var missing: [Document] = []
        for (kind, some) in Dictionary(grouping: documents, by: \.kind) {
            let known = Set(try await storage.documents(kind).map(\.name))
            missing += some.filter { !known.contains($0.name) }
        }
        return missing
    }
}
