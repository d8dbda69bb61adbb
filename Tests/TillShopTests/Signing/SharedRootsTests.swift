import Foundation
import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// If Till silently replaced a lost root certificate, every client would reject the data that Till signs.
@Suite("Till serves a store only with the root certificate that its clients trust")
struct SharedRootsTests {
    private func open(_ test: TestShop, isAdopting: Bool = false, in directory: DataDirectory? = nil) async throws
        -> RootAuthority
    {
        try await SharedRoots.open(
            directory ?? test.directory,
            for: test.shop.storage,
            isAdopting: isAdopting,
            makesReceipts: false
        )
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Deletes the folder of the certificates, which a server creates again at its start.
    private func loseCertificates(_ test: TestShop) throws {
        try remove(test.directory.path + "/ca")
        try test.directory.prepare()
    }

    @Test("The root's fingerprint is stored once; if the folder is lost later, Till reports an error")
    func lost() async throws {
        let test = try await TestShop()
        let root = try await open(test)
        #expect(try await SharedRoots.recorded(in: test.shop.storage)?.root == root.fingerprint)
        #expect(try await open(test).fingerprint == root.fingerprint)
        try loseCertificates(test)
        for _ in 0..<2 {
            await #expect(
                throws: RootRefused.missing(test.directory.rootCertificate, fingerprint: root.fingerprint)
            ) { _ = try await open(test) }
        }
        #expect(!FileManager.default.fileExists(atPath: test.directory.rootKey))
        let adopted = try await open(test, isAdopting: true)
        #expect(adopted.fingerprint != root.fingerprint)
        #expect(try await open(test).fingerprint == adopted.fingerprint)
    }

    @Test("A root without its key is rejected until the operator moves its folder away and adopts a new root")
    func keyLost() async throws {
        let test = try await TestShop()
        let root = try await open(test)
        let certificate = try DataDirectory.read(test.directory.rootCertificate)
        for damage in [nil, "", "no key", try RootAuthority.make().privateKeyPEM.exposed] {
            if let damage {
                try DataDirectory.write(damage, to: test.directory.rootKey)
            } else {
                try remove(test.directory.rootKey)
            }
            for isAdopting in [false, true] {
                do {
                    _ = try await open(test, isAdopting: isAdopting)
                    Issue.record("opened with the key \(damage == nil ? "missing" : "damaged")")
                } catch let refused as RootRefused {
                    #expect(refused.description.contains("move the folder \(test.directory.path)/ca away"))
                }
            }
            #expect(try DataDirectory.read(test.directory.rootCertificate) == certificate)
        }
        try FileManager.default.moveItem(atPath: test.directory.path + "/ca", toPath: test.directory.path + "/lost")
        try test.directory.prepare()
        let adopted = try await open(test, isAdopting: true)
        #expect(adopted.fingerprint != root.fingerprint)
        #expect(try await open(test).fingerprint == adopted.fingerprint)
    }

    @Test("A root other than the recorded root is rejected until the operator adopts it")
    func other() async throws {
        let test = try await TestShop()
        _ = try await open(test)
        let other = DataDirectory(test.directory.path + "/other")
        try other.prepare()
        let root = try CertificateStore(other).root()
        await #expect(throws: RootRefused.other(other.path)) { _ = try await open(test, in: other) }
        #expect(try await open(test, isAdopting: true, in: other).fingerprint == root.fingerprint)
        await #expect(throws: RootRefused.other(test.directory.path)) { _ = try await open(test) }
    }

    @Test("A store of an earlier version without a recorded root needs its root as soon as it has customers")
    func unrecorded() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try loseCertificates(test)
        // No client has received signed data yet.
        _ = try await open(test)
        try await test.shop.storage.removeDocument(.shop, name: "roots")
        try await test.buy("coins", by: "ann")
        let root = try await open(test)
        try await test.shop.storage.removeDocument(.shop, name: "roots")
        #expect(try await open(test).fingerprint == root.fingerprint)
        try await test.shop.storage.removeDocument(.shop, name: "roots")
        try loseCertificates(test)
        await #expect(throws: RootRefused.missing(test.directory.rootCertificate, fingerprint: nil)) {
            _ = try await open(test)
        }
    }

    @Test("The root of receipts is recorded when it is created, and a loss is an error")
    func receipts() async throws {
        let test = try await TestShop()
        _ = try await open(test)
        #expect(try await SharedRoots.recorded(in: test.shop.storage)?.receipts == nil)
        let store = ReceiptKeyStore(test.directory)
        let fingerprint = try store.chain().rootFingerprint
        _ = try await open(test)
        #expect(try await SharedRoots.recorded(in: test.shop.storage)?.receipts == fingerprint)
        try remove(test.directory.receiptKeys)
        await #expect(throws: RootRefused.missing(store.chainFile, fingerprint: fingerprint)) {
            _ = try await open(test)
        }
        #expect(!store.hasChain)
        _ = try await open(test, isAdopting: true)
        _ = try await open(test)
    }

    @Test("The doctor reports a root that differs from the recorded root")
    func doctor() async throws {
        let test = try await TestShop()
        _ = try await open(test)
        let other = DataDirectory(test.directory.path + "/other")
        try other.prepare()
        let certificates = CertificateStore(other)
        _ = try certificates.chain(under: try certificates.root(), ocspURL: "http://localhost/ocsp")
        let storage = test.shop.storage
        let findings = await Doctor(other, now: test.now.milliseconds).findings { storage }
        #expect(findings.contains { $0.contains("another root") }, "\(findings)")
    }

    @Test("Each of sixteen concurrent rotations creates a chain, and the last chain signs")
    func rotations() async throws {
        let test = try await TestShop()
        let certificates = CertificateStore(test.directory)
        let chains = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 {
                group.addTask { try await test.shop.keys.rotate(in: certificates, ocspURL: "http://localhost/ocsp").id }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(chains.count == 16)
        #expect(try certificates.currentChain().id == test.shop.signingChain.id)
        #expect(try certificates.chains { id, reason in Issue.record("\(id): \(reason)") }.count == 17)
        #expect(test.log.errors.isEmpty)
    }

    @Test("A rotation never creates a root")
    func noRoot() async throws {
        let test = try await TestShop()
        let chain = test.shop.signingChain.id
        try remove(test.directory.rootCertificate)
        await #expect(throws: DirectoryRefused.self) {
            _ = try await test.shop.keys.rotate(in: CertificateStore(test.directory), ocspURL: "http://localhost/ocsp")
        }
        #expect(!FileManager.default.fileExists(atPath: test.directory.rootCertificate))
        #expect(test.shop.signingChain.id == chain)
    }

    @Test("Files that are written concurrently are complete, and no temporary file remains")
    func writes() async throws {
        let test = try await TestShop()
        let path = test.directory.path + "/written"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    for _ in 0..<20 {
                        try DataDirectory.write(String(repeating: "\(number % 10)", count: 5_000), to: path)
                    }
                }
            }
            try await group.waitForAll()
        }
        let text = try DataDirectory.read(path)
        #expect(text.count == 5_000 && Set(text).count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: test.directory.path)
        #expect(!names.contains { $0.contains("unfinished") })
    }
}
