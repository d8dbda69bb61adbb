import Foundation
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop

/// The folder to which the fixtures are written.
struct FixtureFolder {
    let path: String

    private static let manifest = "manifest.json"

    /// - Throws: `CommandRefused` if the folder has files and may not be overwritten.
    func requireEmpty(unless force: Bool) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue else { throw CommandRefused("\(path) is a file. Give a folder.") }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard entries.isEmpty || force else {
            throw CommandRefused("\(path) is not empty. Give another folder, or --force to replace the fixtures in it.")
        }
        let own = [Self.manifest, "README.md"].filter(entries.contains)
        guard own.isEmpty || earlier != nil else {
            throw CommandRefused(
                "\(path) has a \(own[0]) that is not of till fixtures, and would be overwritten. Give another folder."
            )
        }
    }

    /// Deletes the fixtures that an earlier manifest lists. Other files stay, and links are not followed.
    func clear() {
        for file in earlier?.files.map(\.file) ?? [] where isRegularFile(file) {
            try? FileManager.default.removeItem(atPath: "\(path)/\(file)")
        }
    }

    /// Deletes what is in the folder, which was empty before, after some files could not be written.
    func empty() {
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(entry)")
        }
    }

    /// The manifest of an earlier run; nil if there is none.
    private var earlier: EarlierManifest? {
        guard isRegularFile(Self.manifest), let bytes = FileManager.default.contents(atPath: "\(path)/\(Self.manifest)")
        else { return nil }
        return try? JSONTree.parse(Array(bytes)).decode(EarlierManifest.self)
    }

    /// Whether a name is that of a file inside of the folder, without a link on the way.
    private func isRegularFile(_ file: String) -> Bool {
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { ["", ".", ".."].contains($0) }) else { return false }
        for count in 1...parts.count {
            let part = "\(path)/\(parts.prefix(count).joined(separator: "/"))"
            let type = try? FileManager.default.attributesOfItem(atPath: part)[.type] as? FileAttributeType
            guard type == (count == parts.count ? .typeRegular : .typeDirectory) else { return false }
        }
        return true
    }

    /// What is read of the manifest of an earlier run. Only `till fixtures` writes all these keys.
    private struct EarlierManifest: Decodable {
        struct File: Decodable {
            let file: String
        }

        let format: Int
        let till: String
        let files: [File]
    }

    /// Writes the manifest, so that `clear` finds the files even if they cannot all be written, and then the files.
    func write(_ contents: [String: [UInt8]], _ manifest: FixtureManifest) throws {
        try write(try JSONTree(encoding: manifest).written() + Array("\n".utf8), to: Self.manifest)
        for (file, bytes) in contents.sorted(by: { $0.key < $1.key }) { try write(bytes, to: file) }
    }

    private func write(_ bytes: [UInt8], to file: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(file)")
        do {
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        } catch {
            throw CommandRefused("\(url.path) cannot be written: \(error.localizedDescription)")
        }
    }
}

/// `manifest.json`.
struct FixtureManifest: Encodable {
    /// The version of this format.
    var format = 1
    /// The version of Till that made the fixtures.
    var till = TillVersion.text
    var bundleId: String
    var appAppleId: Int64
    /// The root certificate of signed data, DER.
    var rootCertificate = "root.cer"
    /// The root certificate of receipts, DER.
    var receiptRootCertificate = "receipt-root.cer"
    /// The shared secret in the requests to verifyReceipt.
    var sharedSecret = FixtureShop.sharedSecret
    /// The certificates are valid from this date.
    var validFrom = ClockLimits.times.lowerBound
    /// The certificates are valid until this date. Only forged certificates expire earlier.
    var validUntil = ClockLimits.times.upperBound
    /// Verifiers must not ask an OCSP responder, because none knows the certificates.
    var onlineChecks = false
    var files: [Fixture]

    /// The text of README.md in the folder.
    var readme: String {
        """
        # Signed fixtures

        `till fixtures` made these files with Till \(till), for test suites that need signed App Store data but no
        server. The data describe fictional purchases in the app \(bundleId).

        **The root certificate is Till's, not Apple's.** Trust `root.cer` and `receipt-root.cer` in tests only. The
        private keys were in memory and no longer exist, so no more data can be signed under these roots.

        `manifest.json` lists each file with its kind, what it shows, whether Apple's verifier accepts it
        (`isAccepted`), the reason if not (`refusal`), and the date at which verifiers check the certificates
        (`verifyAt`, in milliseconds since 1970). Give your verifier `root.cer`, the bundle id \(bundleId), the Apple ID
        \(appAppleId) and the environment, and turn its online checks off: no OCSP responder knows the certificates.

        The certificates are valid until \(validUntil.iso8601.prefix(10)), so the files can be committed. Each run of
        `till fixtures` makes new keys, signatures and notification ids; dates, products and transaction ids stay.

        """
    }
}
