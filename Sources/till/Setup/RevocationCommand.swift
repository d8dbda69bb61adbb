import ArgumentParser
import Foundation
import TillCore
import TillJSON
import TillShop
import TillSigning

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
            try await server.showRaw {
                try await $0.get("/v1/ca/ocsp")
            } as: {
                RevocationCommand.words($0)
            }
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
        @Argument(help: "The status: good, revoked, unknown, slow, error, stale (outdated answer) or dead (no answer).")
        var state: String
        @Option(help: "With revoked: the revocation date, such as 2026-01-31 or 2026-01-31T12:00:00Z (default: now).")
        var at: WrittenInstant?
        @Option(help: "With revoked: keyCompromise, cessationOfOperation, superseded… (default: no reason).")
        var reason: String?
        @Option(help: "With slow: the delay in milliseconds (default 5000).")
        var delay: Int?
        @Option(help: "With error: tryLater (default), internalError, unauthorized or http500.")
        var error: String?
        @Option(help: "With leaf and intermediate: the chain's id (default: the signing chain).")
        var chain: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let body = JSONTree.members([
                "state": .string(state), "chainId": .text(chain), "reason": .text(reason), "delay": .count(delay),
                "error": .text(error), "revocationDate": .count(at?.instant.milliseconds),
            ])
            try await server.showRaw {
                try await $0.put("/v1/ca/ocsp/\(escaped(certificate))", bytes: body.written())
            } as: {
                RevocationCommand.words($0)
            }
        }
    }

    private static func words(_ answer: JSONTree) -> String {
        (answer["certificates"]?.elements ?? []).map { entry in
            let details = [
                entry["revocationDate"]?.text.flatMap(Double.init).map { "since \(Output.date($0))" },
                entry["reason"]?.text,
                entry["delay"]?.text.map { "\($0) ms" },
                entry["error"]?.text,
            ].compactMap(\.self).joined(separator: ", ")
            let name = (entry["certificate"]?.text ?? "").padding(toLength: 12, withPad: " ", startingAt: 0)
            let chain = "chain \(entry["chainId"]?.text ?? "")" + (entry["isCurrent"]?.text == "true" ? " (signs)" : "")
            return "\(name)  \(entry["state"]?.text ?? "")\(details.isEmpty ? "" : " (\(details))")\n"
                + "              \(chain), serial number \(entry["serialNumber"]?.text ?? "")"
        }.joined(separator: "\n")
    }
}
