import Foundation
import Synchronization
import TillSigning
import TillStorage

/// The one folder that holds a shop: the database, the certificates and the keys. Folders are 0700 and files 0600.
package struct DataDirectory: Sendable {
    /// Stands before every path below; no slash at its end.
    package let path: String

    /// A folder by its path, which need not exist yet.
    package init(_ path: String) {
        self.path = path
    }

    /// The database of the embedded engine.
    package var database: String { path + "/till.sqlite" }
    /// Held by the process that works here.
    package var lockFile: String { path + "/till.lock" }
    /// Where the ports of the running server are written, so that commands find it.
    package var ports: String { path + "/ports.json" }
    /// What control asks for when it listens beyond loopback.
    package var controlToken: String { path + "/control-token" }
    /// The certificate that verifiers are given.
    package var rootCertificate: String { path + "/ca/root.pem" }
    /// The root's private key as PEM, under which chains are issued.
    package var rootKey: String { path + "/ca/root.key" }
    /// Names the chain that signs.
    package var currentChain: String { path + "/ca/current" }
    /// What signs receipts, made at first use.
    package var receiptKeys: String { path + "/ca/receipts" }
    /// The files of TLS, there once it was switched on.
    package var tls: TLSFiles { TLSFiles(folder: path + "/tls") }
    /// Where keys that the demo made are written; others are shown once.
    package var keys: String { path + "/keys" }

    /// The files of a chain.
    package func chain(_ id: String) -> ChainFiles { ChainFiles(folder: "\(path)/ca/\(id)") }

    /// Makes the folders, and clears away what a crash left half written. Only for who holds the lock. The folder of
    /// certificates is made with the first of them: an empty one would be in the way of a copy that is put back.
    package func prepare() throws {
        for folder in [path, keys] { try Self.makeFolder(folder) }
        removeUnfinished()
    }

    /// What tells a data directory from a folder of somebody else.
    private static let marks: Set<String> = [
        "till.sqlite", "till.lock", "ca", "keys", "tls", "ports.json", "control-token", "backup.json",
    ]
    /// What a file system, or a tool that keeps folders, lays into an empty folder.
    private static let meaningless: Set<String> = ["lost+found"]

    /// Refuses a folder that holds files and nothing of Till's: its modes would be changed, and keys lie among files
    /// that others copy. A folder that is empty, or not there, is as good as a data directory.
    ///
    /// - Throws: `DirectoryRefused.foreign`.
    package func requireOwn() throws {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let others = found.filter { !$0.hasPrefix(".") && !Self.meaningless.contains($0) }
        guard let first = others.min(), Self.marks.isDisjoint(with: others) else { return }
        throw DirectoryRefused.foreign(path, holding: first)
    }

    /// Makes the file of the embedded engine, if there is none. SQLite gives its side files the mode of the database;
    /// so the database is born private. Only for who holds the lock.
    package func prepareDatabase() throws {
        if !FileManager.default.fileExists(atPath: database) {
            try Self.write("", to: database)
        }
    }

    /// Makes a folder that nobody else may enter; one that is there becomes so.
    package static func makeFolder(_ path: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, chmod(path, 0o700) == 0 else {
            throw DirectoryRefused(writing: path, errno)
        }
    }

    /// Writes a private file: first under another name, synced, then moved into place. At no moment is there half of
    /// it, nor can anybody else read it.
    package static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    /// The same with any bytes.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let number = writes.add(1, ordering: .relaxed).newValue
        let temporary = "\(path)\(unfinished)\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DirectoryRefused(writing: path, errno) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            written += count
        }
        let isSafe = written == bytes.count && fsync(descriptor) == 0
        let cause = errno
        close(descriptor)
        guard isSafe, rename(temporary, path) == 0 else {
            let refused = DirectoryRefused(writing: path, isSafe ? errno : cause)
            unlink(temporary)
            throw refused
        }
        sync(folderOf: path)
    }

    /// A name is safe in its folder only once the folder is.
    private static func sync(folderOf path: String) {
        let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Counts what this process writes, so that two who write one file at once do not write into one another's.
    private static let writes = Atomic<Int>(0)

    /// Stands between a file's name and a process id while the file is being written.
    private static let unfinished = ".unfinished-"

    /// Removes what a crash left half written.
    private func removeUnfinished() {
        let files = FileManager.default
        guard let walk = files.enumerator(atPath: path) else { return }
        for case let name as String in walk where name.contains(Self.unfinished) {
            try? files.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// The path without links, as far as it exists.
    package var realPath: String {
        var known = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var rest = ""
        // From the end, because ".." behind a link leaves the folder to which the link leads.
        while let slash = known.lastIndex(of: "/") {
            if let real = realpath(known.isEmpty ? "/" : known, nil) {
                defer { free(real) }
                let whole = (String(cString: real) + rest).replacing("//", with: "/")
                guard rest.contains("/..") else { return whole }
                return DataDirectory(URL(fileURLWithPath: whole).standardizedFileURL.path).realPath
            }
            rest = "/\(known[known.index(after: slash)...])\(rest)"
            known = String(known[..<slash])
        }
        return rest.isEmpty ? "/" : rest
    }

    /// The whole of a text file.
    package static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw DirectoryRefused.cannotRead(path) }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The files of one signing chain.
package struct ChainFiles: Sendable {
    /// `ca/` and the chain's id; kept when another chain takes over.
    package let folder: String
    /// Leaf, intermediate and root, three PEM blocks in the order of `x5c`.
    package var certificates: String { folder + "/chain.pem" }
    /// The private key that signs payloads, as PEM.
    package var leafKey: String { folder + "/leaf.key" }
    /// The private key that issued the leaf, as PEM.
    package var intermediateKey: String { folder + "/intermediate.key" }
}

/// The files of TLS.
package struct TLSFiles: Sendable {
    /// `tls/` in the data directory.
    package let folder: String
    /// The certificate that TLS clients are given.
    package var root: String { folder + "/root.pem" }
    /// The root's private key as PEM.
    package var rootKey: String { folder + "/root.key" }
    /// The server's certificate and the root, two PEM blocks.
    package var server: String { folder + "/server.pem" }
    /// The server's private key as PEM.
    package var serverKey: String { folder + "/server.key" }
    /// What the machine trusts and the root, for clients that take one file.
    package var bundle: String { folder + "/bundle.pem" }
    /// The same for Java: a trust store of the type JKS.
    package var javaTrustStore: String { folder + "/truststore.jks" }
}

/// Holds the folder for this process; the operating system lets go of it when the process ends, however it ends.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the folder, which is made if it is not there; nothing else in it is touched before.
    ///
    /// - Throws: `DirectoryRefused.foreign` for a folder of somebody else, and `DirectoryRefused.inUse` while another
    ///   process has it.
    package init(_ directory: DataDirectory) throws {
        try directory.requireOwn()
        try DataDirectory.makeFolder(directory.path)
        descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DirectoryRefused.cannotWrite(directory.lockFile) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let owner = (try? DataDirectory.read(directory.lockFile)) ?? ""
            close(descriptor)
            throw DirectoryRefused.inUse(directory.path, by: owner.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let line = Array("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        ftruncate(descriptor, 0)
        _ = line.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Takes a folder in which Till has worked before.
    ///
    /// - Returns: nil when there is none; then nothing was made.
    /// - Throws: `DirectoryRefused.foreign` for a folder of somebody else, and `DirectoryRefused.inUse`.
    package convenience init?(ofExisting directory: DataDirectory) throws {
        try directory.requireOwn()
        guard FileManager.default.fileExists(atPath: directory.lockFile) else { return nil }
        try self.init(directory)
    }

    deinit { close(descriptor) }
}

/// Why a data directory cannot be used.
package enum DirectoryRefused: StorageTrouble, CustomStringConvertible {
    case inUse(String, by: String)
    /// A folder that holds files, and nothing of Till's.
    case foreign(String, holding: String)
    case cannotWrite(String)
    case noRoom(String)
    case cannotRead(String)

    /// - Parameter code: of the system (`errno`).
    init(writing path: String, _ code: Int32) {
        self = [ENOSPC, EDQUOT].contains(code) ? .noRoom(path) : .cannotWrite(path)
    }

    package var isPassing: Bool { isForRoom }

    package var isForRoom: Bool {
        if case .noRoom = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .inUse(let path, let owner):
            "Another Till (process \(owner.isEmpty ? "unknown" : owner)) works in \(path). "
                + "Stop it, or name another directory with --data."
        case .foreign(let path, let name):
            "\(path) holds files that are not Till's (\(name)). Name a new or an empty folder with --data."
        case .cannotWrite(let path):
            "\(path) cannot be written. Check that the folder exists, is yours and has room."
        case .noRoom(let path):
            "\(path) cannot be written: there is no room on the disk. Make room, or name a folder on another disk."
        case .cannotRead(let path):
            "\(path) cannot be read. Check that it exists and is yours."
        }
    }
}
