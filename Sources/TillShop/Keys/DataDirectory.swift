import Foundation
import Synchronization
import TillSigning
import TillStorage

/// The folder with a server's database, certificates and keys. Folders have mode 0700, files 0600.
package struct DataDirectory: Sendable {
    /// The path of the folder, without a slash at the end.
    package let path: String

    /// Names a data directory. The folder need not exist yet.
    package init(_ path: String) {
        self.path = path
    }

    /// The SQLite database.
    package var database: String { path + "/till.sqlite" }
    /// The file that the process using the directory locks.
    package var lockFile: String { path + "/till.lock" }
    /// The file with the ports of the running server. Commands read it to find the server.
    package var ports: String { path + "/ports.json" }
    /// The file with the administrator's token for the control API. Requests need a token if the API listens beyond
    /// loopback.
    package var controlToken: String { path + "/control-token" }
    /// The root certificate that verifiers of signed data must trust.
    package var rootCertificate: String { path + "/ca/root.pem" }
    /// The root's private key as PEM. It signs the certificates of new chains.
    package var rootKey: String { path + "/ca/root.key" }
    /// The file with the id of the current signing chain.
    package var currentChain: String { path + "/ca/current" }
    /// The keys that sign receipts, created at first use.
    package var receiptKeys: String { path + "/ca/receipts" }
    /// The TLS files, which exist once TLS was enabled.
    package var tls: TLSFiles { TLSFiles(folder: path + "/tls") }
    /// The private API keys that the demo created. Other private API keys are shown once and not stored.
    package var keys: String { path + "/keys" }

    /// The files of a chain.
    package func chain(_ id: String) -> ChainFiles { ChainFiles(folder: "\(path)/ca/\(id)") }

    /// Creates the folders, and removes files that a crash left incomplete. Requires the directory lock. The folder
    /// `ca` is created later, with the first certificate, because an empty folder would prevent restoring a backup of
    /// it.
    package func prepare() throws {
        for folder in [path, keys] { try Self.makeFolder(folder) }
        removeUnfinished()
    }

    /// Files and folders that only a data directory contains.
    private static let marks: Set<String> = [
        "till.sqlite", "till.lock", "ca", "keys", "tls", "ports.json", "control-token", "backup.json",
    ]
    /// Entries that every new file system contains.
    private static let meaningless: Set<String> = ["lost+found"]

    /// Rejects a folder that contains only files of other programs. Otherwise Till would make such a folder private,
    /// and someone who copies those files elsewhere would copy the keys, too. An empty or missing folder is accepted.
    ///
    /// - Throws: `DirectoryRefused.foreign`.
    package func requireOwn() throws {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let others = found.filter { !$0.hasPrefix(".") && !Self.meaningless.contains($0) }
        guard let first = others.min(), Self.marks.isDisjoint(with: others) else { return }
        throw DirectoryRefused.foreign(path, holding: first)
    }

    /// Creates an empty database file if it is missing. SQLite creates its journal files with the mode of the database
    /// file, so that file must be private from the start. Requires the directory lock.
    package func prepareDatabase() throws {
        if !FileManager.default.fileExists(atPath: database) {
            try Self.write("", to: database)
        }
    }

    /// Creates a private folder, or makes an existing folder private.
    package static func makeFolder(_ path: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST, chmod(path, 0o700) == 0 else {
            throw DirectoryRefused(writing: path, errno)
        }
    }

    /// Writes a private file: writes and syncs it under a temporary name, and then renames it. As a result the file is
    /// never incomplete and never readable by other users.
    package static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    /// Writes bytes to a private file in the same way.
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

    /// Makes a rename in the folder durable.
    private static func sync(folderOf path: String) {
        let descriptor = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Counts writes, so that two concurrent writes of one file use different temporary names.
    private static let writes = Atomic<Int>(0)

    /// The text between the name of a file and the process id in a temporary name.
    private static let unfinished = ".unfinished-"

    /// Removes temporary files that a crash left behind.
    private func removeUnfinished() {
        let files = FileManager.default
        guard let walk = files.enumerator(atPath: path) else { return }
        for case let name as String in walk where name.contains(Self.unfinished) {
            try? files.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// The path with symbolic links resolved, as far as the path exists.
    package var realPath: String {
        var known = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var rest = ""
        // The longest existing part is resolved first, because ".." after a link is the parent of the link's target.
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

    /// The content of a text file.
    package static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw DirectoryRefused.cannotRead(path) }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The files of one signing chain.
package struct ChainFiles: Sendable {
    /// The folder `ca/CHAIN-ID`, which stays after a rotation.
    package let folder: String
    /// The leaf, intermediate and root certificates: three PEM blocks in the order of `x5c`.
    package var certificates: String { folder + "/chain.pem" }
    /// The private key that signs payloads, as PEM.
    package var leafKey: String { folder + "/leaf.key" }
    /// The intermediate's private key, which signed the leaf certificate, as PEM.
    package var intermediateKey: String { folder + "/intermediate.key" }
}

/// The TLS certificates and keys.
package struct TLSFiles: Sendable {
    /// The folder `tls/` in the data directory.
    package let folder: String
    /// The root certificate that TLS clients must trust.
    package var root: String { folder + "/root.pem" }
    /// The root's private key as PEM.
    package var rootKey: String { folder + "/root.key" }
    /// The server's certificate and the root certificate: two PEM blocks.
    package var server: String { folder + "/server.pem" }
    /// The server's private key as PEM.
    package var serverKey: String { folder + "/server.key" }
    /// The system's certificate authorities and Till's root in one PEM file, for clients that accept only one file.
    package var bundle: String { folder + "/bundle.pem" }
    /// The same authorities for Java: a trust store of the type JKS.
    package var javaTrustStore: String { folder + "/truststore.jks" }
}

/// Locks the data directory for this process. The operating system releases the lock when the process ends, even after
/// a crash.
package final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Creates the folder if it is missing, and locks it.
    ///
    /// - Throws: `DirectoryRefused.foreign` for a folder of other programs; `DirectoryRefused.inUse` while another
    ///   process holds the lock.
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

    /// Locks a folder that Till has used before.
    ///
    /// - Returns: nil if Till has not used the folder; in this case nothing is created.
    /// - Throws: `DirectoryRefused.foreign` for a folder of other programs; `DirectoryRefused.inUse` while another
    ///   process holds the lock.
    package convenience init?(ofExisting directory: DataDirectory) throws {
        try directory.requireOwn()
        guard FileManager.default.fileExists(atPath: directory.lockFile) else { return nil }
        try self.init(directory)
    }

    deinit { close(descriptor) }
}

/// Why a data directory cannot be used.
package enum DirectoryRefused: StorageError, CustomStringConvertible {
    case inUse(String, by: String)
    /// A folder that contains only files of other programs.
    case foreign(String, holding: String)
    case cannotWrite(String)
    case diskFull(String)
    case cannotRead(String)

    /// - Parameter code: the system's error code (`errno`).
    init(writing path: String, _ code: Int32) {
        self = [ENOSPC, EDQUOT].contains(code) ? .diskFull(path) : .cannotWrite(path)
    }

    package var isTransient: Bool { isDiskFull }

    package var isDiskFull: Bool {
        if case .diskFull = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .inUse(let path, let owner):
            "Another Till (process \(owner.isEmpty ? "unknown" : owner)) uses \(path). "
                + "Stop it, or give another directory with --data."
        case .foreign(let path, let name):
            "\(path) contains files of other programs (\(name)). Give a new or empty folder with --data."
        case .cannotWrite(let path):
            "\(path) cannot be written. Check that its folder exists, that you may write to it, and that the "
                + "disk has space."
        case .diskFull(let path):
            "\(path) cannot be written: the disk is full. Free space, or give a folder on another disk."
        case .cannotRead(let path):
            "\(path) cannot be read. Check that it exists and that you may read it."
        }
    }
}
