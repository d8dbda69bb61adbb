import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// The manifest of a backup, which is the file `backup.json` in its folder. A restore checks with it that the backup is
/// complete and unchanged.
package struct BackupManifest: Codable, Equatable, Sendable {
    /// The checksum of a file with a certificate or a key.
    package struct File: Codable, Equatable, Sendable {
        /// The path of the file, relative to the folder of the backup.
        package let path: String
        /// The SHA-256 of the file, in hexadecimal.
        package let sha256: String
    }

    /// The version of the manifest's format.
    package let format: Int
    /// The version of Till that wrote the backup.
    package let version: String
    /// When the backup was written, in real time.
    package let madeAt: Timestamp
    /// The counter of the first identifier that was not yet reserved when the backup was written.
    package let identifiersFrom: Int64
    /// The tables in the order in which they are written, followed by the tables of the snapshots.
    package internal(set) var parts: [TableChecksum]
    /// The certificates and keys, sorted by path.
    package let files: [File]

    static let format = 1

    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// The certificates and keys in a directory.
    static func files(in directory: DataDirectory) throws -> [File] {
        let manager = FileManager.default
        var files: [File] = []
        for folder in Backup.folders where manager.fileExists(atPath: "\(directory.path)/\(folder)") {
            for name in try manager.subpathsOfDirectory(atPath: "\(directory.path)/\(folder)").sorted() {
                let path = "\(folder)/\(name)"
                var isFolder: ObjCBool = false
                _ = manager.fileExists(atPath: "\(directory.path)/\(path)", isDirectory: &isFolder)
                guard !isFolder.boolValue else { continue }
                guard let data = manager.contents(atPath: "\(directory.path)/\(path)") else {
                    throw DirectoryRefused.cannotRead(path)
                }
                files.append(File(path: path, sha256: Hexadecimal.text(SHA256.hash(data: data))))
            }
        }
        return files
    }
}

extension BackupManifest {
    /// Reads the manifest of a backup.
    ///
    /// - Throws: `BackupRefused` if it is missing, unreadable, or of another version.
    package init(of backup: DataDirectory) throws {
        struct Head: Decodable { let format: Int }
        let text = try Self.text(of: backup)
        let decoder = JSONDecoder()
        guard let head = try? decoder.decode(Head.self, from: Data(text.utf8)) else {
            throw BackupRefused.damaged(backup.path, "backup.json cannot be read")
        }
        guard head.format == Self.format else { throw BackupRefused.otherFormat(backup.path) }
        guard let manifest = try? decoder.decode(Self.self, from: Data(text.utf8)) else {
            throw BackupRefused.damaged(backup.path, "backup.json cannot be read")
        }
        self = manifest
    }

    private static func text(of backup: DataDirectory) throws -> String {
        var status = stat()
        if stat(backup.path, &status) != 0 {
            throw errno == EACCES ? BackupRefused.unreadable(backup.path) : .noFolder(backup.path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw BackupRefused.noFolder(backup.path) }
        if stat(backup.backupManifest, &status) != 0 {
            throw errno == EACCES ? BackupRefused.unreadable(backup.path) : .noBackup(backup.path)
        }
        guard let text = try? DataDirectory.read(backup.backupManifest) else {
            throw BackupRefused.unreadable(backup.backupManifest)
        }
        return text
    }
}

extension DataDirectory {
    /// The path of the manifest in a backup.
    package var backupManifest: String { path + "/backup.json" }
}
