import Foundation
import Testing
import TillShop
import TillSigning

@Suite("The trust store for Java")
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

    /// The path of a JDK folder that contains this trust store.
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
        "The trust store contains the certificates of the installed JDK, followed by Till's root",
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

    @Test("Without a readable JDK trust store, it contains the machine's certificates, followed by Till's root")
    func ofTheMachine() throws {
        let machine = try #require(trusted([:]))
        let count = TrustBundle.text(with: "").components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1
        #expect(machine.count == count + 1)
        let home = try home(Array("not a trust store".utf8))
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(trusted(["JAVA_HOME": home]) == machine)
    }

    @Test(
        "The JVM splits its variable at white space and removes quotes, so a value with these is quoted",
        arguments: [
            ("/a/b.jks", "-Djavax.net.ssl.trustStore=/a/b.jks"),
            ("/a b/c.jks", "\"-Djavax.net.ssl.trustStore=/a b/c.jks\""),
            ("/it's", "\"-Djavax.net.ssl.trustStore=/it's\""),
            ("/a\"b", "\"-Djavax.net.ssl.trustStore=/a\"'\"'\"b\""),
            ("/a\tb\r\nc", "\"-Djavax.net.ssl.trustStore=/a\tb\r\nc\""),
        ]
    )
    func option(file: String, option: String) {
        #expect(JavaTrust.option(file) == option)
        #expect(words(of: "-Da=1 \(option)  -Db=2") == ["-Da=1", "-Djavax.net.ssl.trustStore=\(file)", "-Db=2"])
    }

    @Test("The JVM reads an option with any characters unchanged")
    func anyOption() {
        let characters = ["\"", "'", " ", "\t", "\n", "\\", "x"]
        for number in 0..<(7 * 7 * 7 * 7) {
            let option = [1, 7, 49, 343].map { characters[number / $0 % 7] }.joined()
            #expect(words(of: JavaTrust.quoted(option)) == [option])
        }
    }

    /// The options in a text, according to HotSpot's `Arguments::parse_options_buffer`; nil if a quote is not closed.
    private func words(of text: String) -> [String]? {
        let space: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r", "\u{B}", "\u{C}"]
        var words: [String] = []
        var rest = text.unicodeScalars.drop(while: space.contains)
        while !rest.isEmpty {
            var word = String.UnicodeScalarView()
            while let scalar = rest.first, !space.contains(scalar) {
                rest = rest.dropFirst()
                guard scalar == "\"" || scalar == "'" else {
                    word.append(scalar)
                    continue
                }
                guard let end = rest.firstIndex(of: scalar) else { return nil }
                word.append(contentsOf: rest[..<end])
                rest = rest[rest.index(after: end)...]
            }
            words.append(String(word))
            rest = rest.drop(while: space.contains)
        }
        return words
    }
}
