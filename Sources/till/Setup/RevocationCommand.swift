import ArgumentParser
import TillControl
import TillCore

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
        @Option(help: "With slow: the delay in milliseconds (default 5000).")
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
