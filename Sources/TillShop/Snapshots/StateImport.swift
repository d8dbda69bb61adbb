import TillCore
import TillStorage

/// Imports an exported state. The import reads the rows into a temporary snapshot. The snapshot replaces the current
/// state only after the file's last line has proved that the file is complete and unchanged.
package struct StateImport: ~Copyable {
    private let shop: Shop
    private let name: String
    private var line: [UInt8] = []
    private var reader = StateReader()
    private var check: StateCheck
    /// The rows of a table that are not stored yet.
    private var waiting: [TableRow] = []
    private var table = ShopTable.documents
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
            throw reader.refused("a line is longer than \(StateFile.maxLine) bytes")
        }
    }

    /// Replaces the current state. Call this after the last bytes of the file.
    ///
    /// - Returns: a description of the imported state.
    package consuming func finish() async throws -> Snapshot {
        let app: String?
        do {
            if !line.isEmpty { try await takeLine() }
            app = try await whole()
        } catch {
            await abandon()
            throw error
        }
        let (shop, name, companions, highWater) = (shop, name, companions, check.highestCounter + 1)
        let snapshot = Snapshot(name: name, app: app, savedAt: shop.wallClock())
        // If the state has no rows, the snapshot does not exist yet.
        try await shop.storage.add([], of: .documents, to: snapshot)
        let counted = try await shop.storage.snapshots().first { $0.name == name } ?? snapshot
        do {
            try await shop.replacing { replaced in
                replaced = app.map { .app($0) } ?? .everything
                try await shop.storage.reserveIdentifiers(below: highWater)
                // The companions are added to the snapshot, so that either both they and the state are restored or
                // nothing is.
                let missing = try await shop.missing(of: companions)
                try await shop.storage.add(missing.map(\.row), of: .documents, to: snapshot)
                try await shop.snapshots.restore(name, of: app)
                try await shop.retention.forgetHighWaterMarks()
            }
        } catch {
            try? await shop.storage.remove(snapshot: name)
            throw error
        }
        try await shop.storage.remove(snapshot: name)
        return counted
    }

    /// - Returns: the app of the state; nil for the whole shop.
    private mutating func whole() async throws -> String? {
        try await flush()
        let app = try reader.finish()
        guard check.highestCounter < Identifiers.lastBeforeEnd else {
            throw reader.refused("the identifiers are so close to their maximum that no purchase would be possible")
        }
        if let fault = check.relations.faultAtEnd() { throw StateRefused.badFile(line: fault.line, fault.words) }
        if let fault = check.fault(in: companions) { throw reader.refused(fault) }
        let known = companions.filter { $0.kind == .chain } + (try await shop.storage.documents(.chain))
        if let fault = check.fault(withChains: Set(known.map(\.name))) { throw reader.refused(fault) }
        return app
    }

    /// Discards the import.
    package func abandon() async {
        try? await shop.storage.remove(snapshot: name)
    }

    private mutating func takeLine() async throws {
        let text = line
        line = []
        switch try reader.read(text) {
        case .head(let app): check.app = app
        case .row(let row, let table):
            if let fault = check.fault(in: row, of: table, line: reader.lineNumber) { throw reader.refused(fault) }
            if table != self.table { try await flush() }
            self.table = table
            waiting.append(row)
            waitingBytes += text.count
            if waiting.count >= Self.batch || waitingBytes >= Self.batchBytes { try await flush() }
        case .companion(let document): try take(document, text.count)
        case .table, .foot: break
        }
    }

    private mutating func take(_ companion: Document, _ length: Int) throws {
        guard [.team, .key, .chain].contains(companion.kind), companions.count < Self.maxCompanions else {
            throw reader.refused("a document of the kind \(companion.kind.rawValue) cannot be a companion")
        }
        if let fault = Registry.fault(in: companion) { throw reader.refused(fault) }
        companionBytes += length
        guard companionBytes <= StateFile.maxLine else { throw reader.refused("the companions are too long") }
        companions.append(companion)
    }

    private mutating func flush() async throws {
        guard !waiting.isEmpty else { return }
        let snapshot = Snapshot(name: name, app: reader.head?.app, savedAt: shop.wallClock())
        try await shop.storage.add(waiting, of: table, to: snapshot)
        waiting = []
        waitingBytes = 0
    }
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
