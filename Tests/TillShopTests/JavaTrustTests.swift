import Foundation
import Testing
import TillShop
import TillSigning

@Suite("What Java is given to trust")
struct JavaTrustTests {
    private let root: RootAuthority
    private let chain: SigningChain

    init() throws {
        root = try RootAuthority.make()
        chain = try SigningChain.issue(under: RootAuthority.make(), ocspURL: "http://localhost/ocsp")
    }

    private func trusted(_ environment: [String: String], shared: [String] = []) -> [[UInt8]]? {
        let bytes = JavaTrust.store(with: root.certificatePEM, environment: environment, sharedFiles: shared)
        return JavaTrustStore(bytes)?.certificates
    }

    /// A JDK's folder with this trust store at a place.
    private func home(_ bytes: [UInt8], at place: String = "lib/security/cacerts") throws -> String {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("till-java-\(UUID().uuidString)")
        let file = home.appendingPathComponent(place)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(bytes).write(to: file)
        return home.path
    }

    @Test(
        "What the JDK at hand trusts, and the root behind it",
        arguments: ["lib/security/cacerts", "lib/security/jssecacerts", "jre/lib/security/cacerts"]
    )
    func ofTheJDK(_ place: String) throws {
        let home = try home(JavaTrustStore(certificates: chain.certificatesDER).written(at: 0), at: place)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let expected = chain.certificatesDER + [try #require(trusted([:])?.last)]
        #expect(trusted(["JAVA_HOME": home]) == expected)
        #expect(trusted([:], shared: ["\(home)/\(place)"]) == expected)
        let program = "\(home)/bin/java"
        try FileManager.default.createDirectory(atPath: "\(home)/bin", withIntermediateDirectories: true)
        try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        #expect(trusted(["PATH": "/nowhere:\(home)/bin"]) == expected)
    }

    @Test("Without a JDK, or with one whose file cannot be read, what the machine trusts, and the root")
    func ofTheMachine() throws {
        let machine = try #require(trusted([:]))
        let count = TrustBundle.text(with: "").components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1
        #expect(machine.count == count + 1)
        let home = try home(Array("not a trust store".utf8))
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(trusted(["JAVA_HOME": home]) == machine)
    }

    @Test("The JVM splits its variable at spaces; a file with one is quoted")
    func option() {
        #expect(JavaTrust.option("/a/b.jks") == "-Djavax.net.ssl.trustStore=/a/b.jks")
        #expect(JavaTrust.option("/a b/c.jks") == "\"-Djavax.net.ssl.trustStore=/a b/c.jks\"")
    }
}
