import ArgumentParser
import Foundation
import TillControl
import TillCore

/// Shows and sets what the OCSP responder answers about certificates.
struct RevocationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ocsp",
        abstract: "Shows and sets the OCSP status of certificates.",
        discussion: """
            till ca ocsp show
            till ca ocsp set leaf revoked --reason keyCompromise
            till ca ocsp set intermediate unknown
            till ca ocsp set leaf slow --delay 8000
            till ca ocsp set leaf error --error tryLater
            till ca ocsp set leaf dead
            till ca ocsp set all good
            """,
        subcommands: [Show.self, Set.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the OCSP status of each certificate.",
            discussion: "till ca ocsp show"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: GetRevocation(), as: RevocationCommand.words)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets the OCSP status of a certificate.",
            discussion: """
                till ca ocsp set leaf revoked
                till ca ocsp set all good
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
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let request = SetRevocation(
                certificate: certificate,
                state: state,
                chainId: chain,
                revocationDate: at?.instant,
                reason: reason,
                delay: delay,
                error: error
            )
            try await server.show(answerTo: request, as: RevocationCommand.words)
        }
    }

    private static func words(_ certificates: [CertificateInfo]) -> String {
        certificates.map { entry in
            let details = [
                entry.revocationDate.map { "since \($0.iso8601)" }, entry.reason?.rawValue,
                entry.delay.map { "\($0) ms" }, entry.error?.rawValue,
            ].compactMap(\.self).joined(separator: ", ")
            let name = entry.certificate.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
            let chain = "chain \(entry.chainId)" + (entry.isCurrent ? " (signs)" : "")
            return "\(name)  \(entry.state.rawValue)\(details.isEmpty ? "" : " (\(details))")\n"
                + "              \(chain), serial number \(entry.serialNumber)"
        }.joined(separator: "\n")
    }
}
