import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct AuthorityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Shows and exports certificates, rotates the signing chain, and sets OCSP states.",
        discussion: """
            till ca show
            till ca export root.pem         the root for verifiers; DER with .der or .cer
            till ca export receipts.pem --receipts    the root of app receipts
            till ca export --tls tls.pem    the root for TLS clients
            till ca rotate                  a new leaf and intermediate under the same root
            till ca ocsp set leaf revoked   the OCSP status of a certificate
            """,
        subcommands: [Show.self, Export.self, Rotate.self, RevocationCommand.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the root certificate and the signing chain.",
            discussion: "till ca show --json"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: GetAuthority()) {
                "root fingerprint  \($0.rootFingerprint)\nchain             \($0.chainId)\n\($0.rootCertificate)"
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the root certificate to a file.",
            discussion: """
                till ca export root.der
                till ca export --tls tls-root.pem
                """
        )

        @Argument(help: "The file; its name selects DER (.der or .cer) or PEM.")
        var file: String
        @Flag(help: "Writes the root of app receipts instead of the root of signed data.")
        var receipts = false
        @Flag(help: "Writes the root of TLS, which clients must trust to reach Till under the App Store's names.")
        var tls = false
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard !(receipts && tls) else { throw ValidationError("Give --receipts or --tls, not both.") }
        }

        func run() async throws {
            let pem = try await root(try server.client())
            var data = Data(pem.utf8)
            if file.hasSuffix(".der") || file.hasSuffix(".cer") {
                let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
                data = Data(base64Encoded: base64) ?? data
            }
            guard FileManager.default.createFile(atPath: file, contents: data) else {
                throw CommandRefused("\(file) cannot be written.")
            }
            Output.show(.members(["file": .string(file)]), asJSON: server.json) { _ in
                "Wrote \(file). Trust it only in your tests and in your own store."
            }
        }

        private func root(_ client: ControlClient) async throws -> String {
            if tls { return try await client.send(GetTLS()).rootCertificate }
            return try await client.send(GetAuthority(receipts: receipts ? true : nil)).rootCertificate
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issues a new leaf and intermediate certificate. Existing signatures stay valid.",
            discussion: "till ca rotate"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: RotateChain()) { "The new signing chain is \($0.chainId)." }
        }
    }
}
