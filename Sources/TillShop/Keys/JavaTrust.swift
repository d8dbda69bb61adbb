import Foundation
import TillSigning

/// Writes a trust store with the certificate authorities that Java programs on this machine trust, and Till's root.
package enum JavaTrust {
    /// The trust stores that Debian and Fedora install for their JDKs.
    package static let sharedFiles = ["/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts"]

    /// Creates a trust store of the type JKS: the authorities of the installed JDK, or of the system if there is no
    /// JDK, and the root. The JDK's own trust store is never changed.
    ///
    /// - Parameters:
    ///   - root: the root certificate to add, as PEM.
    ///   - environment: the environment variables; `JAVA_HOME` and `PATH` determine the JDK.
    ///   - sharedFiles: the trust stores to read if `JAVA_HOME` and `PATH` lead to none.
    package static func store(
        with root: String,
        environment: [String: String],
        sharedFiles: [String] = sharedFiles
    ) -> [UInt8] {
        let known = (files(environment) + sharedFiles).lazy.compactMap { FileManager.default.contents(atPath: $0) }
            .compactMap { JavaTrustStore(Array($0)) }.first
        var store = known ?? JavaTrustStore(certificates: certificates(in: TrustBundle.text(with: "")))
        store.certificates += certificates(in: root)
        return store.written(at: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    /// The JVM option for a trust store. It needs no type, because every JDK recognizes JKS. It needs no password,
    /// because a JDK checks the store's digest only if a password is given.
    package static func option(_ file: String) -> String {
        quoted("-Djavax.net.ssl.trustStore=\(file)")
    }

    /// Quotes an option for `JAVA_TOOL_OPTIONS`. The JVM splits the variable at white space, except between two
    /// quotation marks or two apostrophes, which may begin and end inside a word. The JVM knows no escapes, so an
    /// option with both kinds of quotes is composed of quoted parts: `"it's "'"here"'`.
    package static func quoted(_ option: String) -> String {
        let (mark, apostrophe) = (Unicode.Scalar("\""), Unicode.Scalar("'"))
        let special: Set<Unicode.Scalar> = [mark, apostrophe, " ", "\t", "\n", "\r", "\u{B}", "\u{C}"]
        guard option.unicodeScalars.contains(where: special.contains) else { return option }
        var text = ""
        var rest = option.unicodeScalars[...]
        while let first = rest.first {
            let part = rest.prefix { ($0 == mark) == (first == mark) }
            let quote = first == mark ? apostrophe : mark
            text += "\(quote)\(String(part))\(quote)"
            rest = rest.dropFirst(part.count)
        }
        return text
    }

    /// The possible trust stores of the JDK, in the order in which a JVM prefers them.
    private static func files(_ environment: [String: String]) -> [String] {
        var homes = [environment["JAVA_HOME"]].compactMap(\.self)
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        if let java = folders.map({ "\($0)/java" }).first(where: { FileManager.default.isExecutableFile(atPath: $0) }) {
            let program = URL(fileURLWithPath: java).resolvingSymlinksInPath()
            homes.append(program.deletingLastPathComponent().deletingLastPathComponent().path)
        }
        return homes.flatMap { home in
            // JDK 8 uses `jre/lib`.
            ["lib", "jre/lib"].flatMap { ["\(home)/\($0)/security/jssecacerts", "\(home)/\($0)/security/cacerts"] }
        }
    }

    private static func certificates(in pem: String) -> [[UInt8]] {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        return pem.components(separatedBy: begin).dropFirst().compactMap { part in
            let base64 = part.components(separatedBy: end)[0].filter { !$0.isWhitespace }
            return Data(base64Encoded: base64).map { Array($0) }
        }
    }
}
