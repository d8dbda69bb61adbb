import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct AuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Shows and exports certificates, rotates the signing chain, and updates OCSP states.",
        name: "ca",
        examples: """
            # the root for verifiers; DER with .der or .cer
            till ca export root.pem
            # a new leaf and intermediate under the same root
            till ca rotate
            """,
        subcommands: [Show.self, Export.self, Rotate.self, RevocationCommand.self]
    )

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows the root certificate and the signing chain.",
            examples: "till ca show"
        )

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetAuthority { GetAuthority() }

        func text(_ authority: AuthorityInfo) -> String {
            Table.values([("root fingerprint", authority.rootFingerprint), ("chain", authority.chainId)])
                + "\n\(authority.rootCertificate)"
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Writes the root certificate to a file.",
            examples: """
                till ca export root.der
                # the root of app receipts
                till ca export receipts.pem --receipts
                # the root for TLS clients
                till ca export tls-root.pem --tls
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
            if tls { return try await client.tls().rootCertificate }
            return try await client.send(GetAuthority(receipts: receipts ? true : nil)).rootCertificate
        }
    }

    struct Rotate: SendingCommand {
        static let configuration = CommandConfiguration(
            "Issues a new leaf and intermediate certificate. Existing signatures stay valid.",
            examples: "till ca rotate"
        )

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> RotateChain { RotateChain() }

        func text(_ authority: AuthorityInfo) -> String { "The new signing chain is \(authority.chainId)." }
    }
}
