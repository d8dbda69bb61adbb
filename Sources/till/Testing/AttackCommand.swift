import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import TillJSON
import TillShop

struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Creates signed data that a correct verifier refuses, and tests whether a backend refuses it.",
        discussion: """
            till attack                                            lists the cases and their flaws
            till attack --case wrong-root --json                   prints the signed data of one case
            till attack --post http://127.0.0.1:3000/apple         posts all cases and reports the accepted ones
            till attack --post http://127.0.0.1:3000/apple --about 2000000000012345
            till attack --receipts --post http://127.0.0.1:3000/receipts --about 2000000000012345
            till attack --serve 9000                               http://127.0.0.1:9000/wrong-root, and so on

            The first case is valid. If the endpoint refuses the valid case, it refuses everything, and the other
            results mean nothing. Any 2xx answer counts as accepted. For a receipt, it counts as refused if the answer
            has a status other than 0, as in verifyReceipt. An HTTP status of 500 or more, a closed connection or no
            answer within 30 seconds is a failure of the backend, not a refusal.

            Exit codes with --post: 0 if all attacks were refused; 1 if the valid data was not accepted, or there was no
            answer; 3 if an attack was accepted; 4 if no attack was accepted, but the backend failed on at least one.
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
        if let serve, !(1...65_535).contains(serve) { throw ValidationError("--serve must be a port, 1 to 65535.") }
    }

    func run() async throws {
        let client = try server.rawClient()
        let path = "\(try await scope.path(client))/attacks\(receipts ? "/receipts" : "")"
        if let serve {
            try await self.serve(on: serve, client, path)
        } else if let post {
            try await report(on: post, client, path)
        } else {
            let answer = try await client.get(address(path, name))
            Output.show(answer, asJSON: server.json) { answer in
                let cases = answer["cases"]?.elements ?? []
                return name == nil ? Self.list(cases) : cases.map { Output.lines($0) }.joined(separator: "\n")
            }
        }
    }

    private func address(_ path: String, _ name: String?) -> String {
        let items = [("case", name), ("transactionId", about)]
        let query = items.compactMap { key, value in value.map { "\(key)=\(escaped($0))" } }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    private static func list(_ cases: [JSONTree]) -> String {
        let lines = cases.map { entry in
            let name = (entry["case"]?.text ?? "").padding(toLength: 32, withPad: " ", startingAt: 0)
            return "\(name)\(entry["wrong"]?.text ?? "")\n\(String(repeating: " ", count: 32))"
                + (entry["refusal"]?.text.map { "refusal: \($0)" } ?? "status: \(entry["status"]?.text ?? "")")
        }
        return (lines + ["", "--json prints the signed data of all cases, --case NAME --json that of one."]).joined(
            separator: "\n"
        )
    }

    // MARK: Testing a backend

    private func report(on url: String, _ client: RawControlClient, _ path: String) async throws {
        // The valid cases are always needed: the first to compare with, and the one that is sent twice.
        let all = try await client.get(address(path, nil))["cases"]?.elements ?? []
        if let name { _ = try await client.get(address(path, name)) }
        let trial = AttackTrial(url: url, form: receipts ? .receipts : .notifications)
        let report = await trial.run(all, only: name)
        Output.show(report.json, asJSON: server.json) { _ in report.text }
        if let failure = report.failure { throw CommandRefused(failure, code: "attack_\(report.control.verdict)") }
        if !report.accepted.isEmpty { throw ExitCode(3) }
        if !report.errors.isEmpty { throw ExitCode(4) }
    }

    // MARK: Serving

    private func serve(on port: Int, _ client: RawControlClient, _ path: String) async throws {
        let list = Self.list(try await client.get(address(path, nil))["cases"]?.elements ?? [])
        let router = Router()
        router.get("/") { _, _ in "\(list)\n" }
        let targets = receipts ? [("", "receipt")] : [("", "signedPayload"), ("/transaction", "signedTransactionInfo")]
        for (suffix, key) in targets {
            router.get(RouterPath("/{case}\(suffix)")) { _, context in
                let name = context.parameters.get("case") ?? ""
                let cases: [JSONTree]
                do {
                    cases = try await client.get(address(path, name))["cases"]?.elements ?? []
                } catch let refused as CommandRefused {
                    throw HTTPError(.notFound, message: refused.description)
                }
                return cases.first?[key]?.text ?? ""
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
}
