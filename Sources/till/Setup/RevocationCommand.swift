import ArgumentParser
import TillControl
import TillCore

struct RevocationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Shows and updates the OCSP status of certificates.",
        name: "ocsp",
        examples: """
            till ca ocsp show
            till ca ocsp update leaf revoked --reason keyCompromise
            """,
        subcommands: [Show.self, Update.self]
    )

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows the OCSP status of each certificate.",
            examples: "till ca ocsp show"
        )

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> GetRevocation { GetRevocation() }

        func text(_ certificates: [CertificateInfo]) -> String { RevocationCommand.table(certificates) }
    }

    struct Update: SendingCommand {
        static let configuration = CommandConfiguration(
            "Sets the OCSP status of a certificate.",
            examples: """
                till ca ocsp update leaf revoked
                till ca ocsp update intermediate unknown
                till ca ocsp update leaf slow --delay 8000
                till ca ocsp update leaf error --error tryLater
                till ca ocsp update all good
                """
        )

        @Argument(help: "The certificate: leaf or intermediate (of the signing chain), a serial number, or all.")
        var certificate: String
        @Argument(help: "The status; stale is an outdated answer, and dead is no answer.")
        var state: OCSPStatus
        @Option(help: "With revoked: the revocation date, such as 2026-01-31 or 2026-01-31T12:00:00Z (default: now).")
        var at: WrittenInstant?
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
                revocationDate: at?.instant,
                reason: reason,
                delay: delay,
                error: error
            )
        }

        func text(_ certificates: [CertificateInfo]) -> String { RevocationCommand.table(certificates) }
    }

    private static func table(_ certificates: [CertificateInfo]) -> String {
        Table.list(
            ["CERTIFICATE", "STATUS", "DETAILS", "CHAIN", "SERIAL NUMBER"],
            certificates.map { entry in
                let details = [
                    entry.revocationDate.map { "since \($0.iso8601)" }, entry.reason?.rawValue,
                    entry.delay.map { "\($0) ms" }, entry.error?.rawValue,
                ].compactMap(\.self).joined(separator: ", ")
                return [
                    entry.certificate.rawValue, entry.state.rawValue, details.isEmpty ? "-" : details,
                    entry.chainId + (entry.isCurrent ? " (signs)" : ""), entry.serialNumber,
                ]
            },
            empty: "No certificates."
        )
    }
}
