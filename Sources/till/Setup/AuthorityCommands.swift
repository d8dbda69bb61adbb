import ArgumentParser
import Foundation
import TillControl
import TillCore

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

        @Argument(help: "The file; its name selects DER (.der or .cer) or PEM.", completion: .file())
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
            if tls { return try await client.tls().rootCertificate }
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

struct RevocationCommand: DocumentedCommand {
    static let word: String? = "ocsp"
    static let summary = "Shows and updates the OCSP status of certificates."
    static var subcommands: Subcommands { [Show.self, Update.self] }

    struct Show: SendingCommand {
        static let summary = "Shows the OCSP status of each certificate."
        static let examples = "till ca ocsp show"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetRevocation { GetRevocation() }
    }

    struct Update: SendingCommand {
        static let summary = "Sets the OCSP status of a certificate."
        static let examples = """
            till ca ocsp update leaf revoked
            till ca ocsp update intermediate unknown
            till ca ocsp update leaf slow --delay 8000
            till ca ocsp update leaf error --error tryLater
            till ca ocsp update all good
            """

        @Argument(help: "The certificate: leaf or intermediate (of the signing chain), a serial number, or all.")
        var certificate: String
        @Argument(help: "The status; stale is an outdated answer, and dead is no answer.")
        var state: OCSPStatus
        @Option(help: "With revoked: the revocation date, such as 2026-01-31 or 2026-01-31T12:00:00Z (default: now).")
        var at: Timestamp?
        @Option(help: "With revoked: the reason (default: no reason).")
        var reason: OCSPRevocationReason?
        @Option(help: "With slow: the delay in milliseconds (default: 5000).")
        var delay: Int?
        @Option(help: "With error: the kind of error (default: tryLater).")
        var error: OCSPFailure?
        @Option(help: "With leaf and intermediate: the chain's id (default: the signing chain).")
        var chain: String?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> SetRevocation {
            SetRevocation(
                certificate: certificate,
                state: state,
                chainId: chain,
                revocationDate: at,
                reason: reason,
                delay: delay,
                error: error
            )
        }
    }
}

extension CertificateInfo: TableRow {
    static let headings = ["CERTIFICATE", "STATUS", "DETAILS", "CHAIN", "SERIAL NUMBER"]
    static let empty = "No certificates."
    var cells: [String?] {
        let details = [
            revocationDate.map { "since \($0.iso8601)" }, reason?.rawValue, delay.map { "\($0) ms" }, error?.rawValue,
        ].compactMap(\.self).joined(separator: ", ")
        return [
            certificate.rawValue, state.rawValue, details.isEmpty ? "-" : details,
            chainId + (isCurrent ? " (signs)" : ""), serialNumber,
        ]
    }
}
