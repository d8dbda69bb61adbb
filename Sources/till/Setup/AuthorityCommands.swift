import ArgumentParser
import Foundation
import TillControl

struct AuthorityCommand: DocumentedCommand {
    static let word: String? = "ca"
    static let summary = "Shows and exports certificates, rotates the signing chain, and updates OCSP states."
    static var subcommands: Subcommands { [Show.self, Export.self, Rotate.self, RevocationCommand.self] }

    struct Show: SendingCommand {
        static let summary = "Shows the root certificate and the signing chain."
        static let examples = "till ca show"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetAuthority { GetAuthority() }

        func text(_ authority: AuthorityInfo) -> String {
            Table.values([("root fingerprint", authority.rootFingerprint), ("chain", authority.chainId)])
                + "\n\(authority.rootCertificate)"
        }
    }

    struct Export: DocumentedCommand {
        static let summary = "Writes the root certificate to a file."
        static let examples = """
            till ca export root.der
            # the root of app receipts
            till ca export receipts.pem --receipts
            # the root for TLS clients
            till ca export tls-root.pem --tls
            """

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
            let isDER = file.hasSuffix(".der") || file.hasSuffix(".cer")
            let data = isDER ? Data(pem: pem) : nil
            let note = " Trust it only in your tests and in your own store."
            try Output.write(data ?? Data(pem.utf8), to: file, asJSON: server.json, note: note)
        }

        private func root(_ client: ControlClient) async throws -> String {
            if tls { return try await client.send(GetTLS()).rootCertificate }
            return try await client.send(GetAuthority(receipts: receipts ? true : nil)).rootCertificate
        }
    }

    struct Rotate: SendingCommand {
        static let summary = "Issues a new leaf and intermediate certificate. Existing signatures stay valid."
        static let examples = "till ca rotate"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> RotateChain { RotateChain() }

        func text(_ authority: AuthorityInfo) -> String { "The new signing chain is \(authority.chainId)." }
    }
}
