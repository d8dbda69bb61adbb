import ArgumentParser
import Foundation
import Hummingbird
import Logging
import TillControl
import TillShop

struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates signed data that a correct verifier refuses, and tests whether a backend refuses it.",
        name: "attack",
        examples: """
            # lists the cases and their flaws
            till attack
            # prints the signed data of one case
            till attack --case wrong-root --json
            # posts all cases and reports the accepted ones
            till attack --post http://127.0.0.1:3000/apple
            till attack --receipts --post http://127.0.0.1:3000/receipts
            # http://127.0.0.1:9000/wrong-root, and so on
            till attack --serve 9000
            """,
        notes: """
            The first case is valid. If the endpoint refuses the valid case, it refuses everything, and the other \
            results mean nothing. Any 2xx answer counts as accepted. For a receipt, it counts as refused if the answer \
            has a status other than 0, as in verifyReceipt. An HTTP status of 500 or more, a closed connection or no \
            answer within 30 seconds is a failure of the backend, not a refusal.

            Exit codes with --post: 0 if all attacks were refused; 1 if the valid data was not accepted, or there was \
            no answer; 3 if an attack was accepted; 4 if no attack was accepted, but the backend failed on at least one.
            """
    )

    @Option(name: .customLong("case"), help: "The name of a case (default: all cases).")
    var name: String?
    @Option(help: "The id of the transaction in the data (default: an invented transaction).")
    var about: String?
    @Flag(help: "Creates receipts instead of notifications.")
    var receipts = false
    @Option(help: "The backend's URL for notifications, or for receipts with --receipts.")
    var post: String?
    @Option(help: "Serves the cases on a port of 127.0.0.1 until Ctrl-C. A case is signed when it is fetched.")
    var serve: Int?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
        if post != nil, serve != nil { throw ValidationError("Give either --post or --serve, not both.") }
        if let post {
            guard let url = URL(string: post), ["http", "https"].contains(url.scheme), url.host != nil else {
                throw ValidationError("--post must be a URL such as http://127.0.0.1:3000/apple.")
            }
        }
        let known = receipts ? ReceiptAttack.allCases.map(\.name) : Attack.allCases.map(\.name)
        if let name, !known.contains(where: { $0.rawValue == name }) {
            throw ValidationError("--case must be one of \(known.map(\.rawValue).joined(separator: ", ")).")
        }
        if let serve, !(1...65_535).contains(serve) { throw ValidationError("--serve must be a port, 1 to 65535.") }
    }

    func run() async throws {
        let server = try await scope.connect(to: try self.server.client())
        if let serve {
            try await self.serve(on: serve, server)
        } else if let post {
            try await report(on: post, server)
        } else {
            try self.server.show(try await cases(server, name)) { cases in
                name == nil ? Self.list(cases.map(AttackEntry.init)) : try Self.lines(cases)
            }
        }
    }

    /// One case, or all cases, signed now.
    private func cases(_ server: AppClient, _ name: String?) async throws -> [AttackInfo] {
        let name = name.flatMap(AttackCase.init(rawValue:))
        return try await server.client.send(
            ListAttacks(app: server.app, receipts: receipts ? true : nil, case: name, transactionId: about)
        )
    }

    /// One case, or all cases, signed now.
    private func entries(_ server: AppClient, _ name: String? = nil) async throws -> [AttackEntry] {
        try await cases(server, name).map(AttackEntry.init)
    }

    private static func lines(_ cases: [AttackInfo]) throws -> String {
        try cases.map { try Output.lines(of: $0) }.joined(separator: "\n")
    }

    private static func list(_ cases: [AttackEntry]) -> String {
        let lines = cases.map { entry in
            let name = entry.name.padding(toLength: 32, withPad: " ", startingAt: 0)
            return "\(name)\(entry.wrong)\n\(String(repeating: " ", count: 32))\(entry.expectation)"
        }
        return (lines + ["", "--json prints the signed data of all cases, --case NAME --json that of one."]).joined(
            separator: "\n"
        )
    }

    // MARK: Testing a backend

    private func report(on url: String, _ server: AppClient) async throws {
        // The valid cases are always needed: the first to compare with, and the one that is sent twice.
        let all = try await entries(server)
        let trial = AttackTrial(url: url, form: receipts ? .receipts : .notifications)
        let report = await trial.run(all, only: name)
        Output.show(report.json, asJSON: self.server.json) { _ in report.text }
        if let failure = report.failure { throw CommandRefused(failure, code: "attack_\(report.control.verdict)") }
        if !report.accepted.isEmpty { throw ExitCode(3) }
        if !report.errors.isEmpty { throw ExitCode(4) }
    }

    // MARK: Serving

    private func serve(on port: Int, _ server: AppClient) async throws {
        let list = Self.list(try await entries(server))
        let router = Router()
        router.get("/") { _, _ in "\(list)\n" }
        router.get("/{case}") { _, context in try await entry(context.parameters.get("case"), server).data }
        if !receipts {
            router.get("/{case}/transaction") { _, context in
                try await entry(context.parameters.get("case"), server).transaction ?? ""
            }
        }
        var logger = Logger(label: "till", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { _ in
                let words =
                    receipts ? "/NAME is a receipt." : "/NAME is a notification, /NAME/transaction a transaction."
                print("http://127.0.0.1:\(port)/ lists the cases; \(words)")
                fflush(nil)
            },
            logger: logger
        )
        try await application.runService()
    }

    /// A case, signed now.
    private func entry(_ name: String?, _ server: AppClient) async throws -> AttackEntry {
        do {
            // An unknown name would select all cases.
            if let found = try await entries(server, name).first, found.name == name { return found }
        } catch let failure as ControlFailure {
            throw HTTPError(.notFound, message: failure.description)
        }
        throw HTTPError(.notFound, message: "There is no case \(name ?? ""). / lists the cases.")
    }
}
