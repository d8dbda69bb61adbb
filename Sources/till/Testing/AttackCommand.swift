import ArgumentParser
import Foundation
import Hummingbird
import Logging
import TillControl
import TillJSON
import TillShop

struct AttackCommand: DocumentedCommand {
    static let summary = "Creates signed data that a correct verifier refuses, and tests whether a backend refuses it."
    static let examples = """
        # lists the cases and their flaws
        till attack
        # prints the signed data of one case
        till attack --case wrong-root --json
        # posts all cases and reports the accepted ones
        till attack --post http://127.0.0.1:3000/apple
        till attack --receipts --post http://127.0.0.1:3000/receipts
        # http://127.0.0.1:9000/wrong-root, and so on
        till attack --serve 9000
        """
    static let notes = """
        The first case is valid. If the endpoint refuses the valid case, it refuses everything, and the other \
        results mean nothing. Any 2xx answer counts as accepted. For a receipt, it counts as refused if the answer \
        has a status other than 0, as in verifyReceipt. An HTTP status of 500 or more, a closed connection or no \
        answer within 30 seconds is a failure of the backend, not a refusal.

        Exit codes with --post: 0 if all attacks were refused; 1 if the valid data was not accepted, or there was \
        no answer; 3 if an attack was accepted; 4 if no attack was accepted, but the backend failed on at least one.
        """

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
    @OptionGroup var options: EnvironmentOptions

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
        let shop = try await options.connect()
        if let serve {
            try await self.serve(on: serve, shop)
        } else if let post {
            try await report(on: post, shop)
        } else {
            try options.server.show(try await cases(shop, name)) { cases in
                if name == nil { return Self.list(cases) }
                return try cases.map { try Output.lines(of: $0) }.joined(separator: "\n")
            }
        }
    }

    /// One case, or all cases, signed now.
    private func cases(_ shop: AppClient, _ name: String? = nil) async throws -> [AttackInfo] {
        let name = name.flatMap(AttackCase.init(rawValue:))
        return try await shop.client.send(
            ListAttacks(app: shop.app, receipts: receipts ? true : nil, case: name, transactionId: about)
        )
    }

    private static func list(_ cases: [AttackInfo]) -> String {
        let lines = cases.map { "\($0.name.column)\($0.wrong)\n\("".column)\($0.expectation)" }
        return (lines + ["", "--json prints the signed data of all cases, --case NAME --json that of one."]).joined(
            separator: "\n"
        )
    }

    // MARK: Testing a backend

    private func report(on url: String, _ shop: AppClient) async throws {
        // The valid cases are always needed: the first to compare with, and the one that is sent twice.
        let all = try await cases(shop)
        let report = await AttackTrial(url: url, form: receipts ? .receipts : .notifications).run(all, only: name)
        Output.show(report.json, asJSON: options.server.json) { _ in report.text }
        if let failure = report.failure { throw CommandRefused(failure, code: "attack_\(report.control.verdict)") }
        if !report.accepted.isEmpty { throw ExitCode(3) }
        if !report.errors.isEmpty { throw ExitCode(4) }
    }

    // MARK: Serving

    private func serve(on port: Int, _ shop: AppClient) async throws {
        let list = Self.list(try await cases(shop))
        let router = Router()
        router.get("/") { _, _ in "\(list)\n" }
        router.get("/{case}") { _, context in try await signed(context.parameters.get("case"), shop).data }
        if !receipts {
            router.get("/{case}/transaction") { _, context in
                try await signed(context.parameters.get("case"), shop).signedTransactionInfo ?? ""
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
    private func signed(_ name: String?, _ shop: AppClient) async throws -> AttackInfo {
        do {
            // An unknown name would select all cases.
            if let found = try await cases(shop, name).first, found.name == name { return found }
        } catch let failure as ControlFailure {
            throw HTTPError(.notFound, message: failure.description)
        }
        throw HTTPError(.notFound, message: "There is no case \(name ?? ""). / lists the cases.")
    }
}

/// A case of the attack pack: a notification or a receipt.
extension AttackInfo {
    var name: String { `case`.rawValue }

    /// How a correct verifier refuses it.
    var expectation: String { receipt == nil ? "refusal: \(refusal ?? "")" : "status: \(status ?? 0)" }

    /// The signed notification, or the receipt.
    var data: String { receipt ?? signedPayload ?? "" }

    /// The body of the request to a backend.
    var body: JSONTree {
        receipt == nil
            ? .members(["signedPayload": .string(data)])
            : .members(["receipt-data": .string(data), "deviceId": .string(deviceId ?? "")])
    }
}

extension String {
    /// The text in a column of 32 characters.
    var column: String { padding(toLength: 32, withPad: " ", startingAt: 0) }
}
