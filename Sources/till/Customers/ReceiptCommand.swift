import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "Prints a receipt as the device gives it to the app, for verifyReceipt.",
        name: "receipt",
        examples: """
            till receipt --customer ann
            # the DER file, for openssl
            till receipt --customer ann --out receipt.der
            # one transaction, in the format of iOS 6
            till receipt --transaction 2000000000012345
            """,
        notes: "The receipt is Base64 on one line. Receipts have their own root certificate: till ca export --receipts."
    )

    @Option(help: "The customer whose app receipt is printed.")
    var customer: String?
    @Option(help: "Prints the receipt of this one transaction, in the format of iOS 6.")
    var transaction: String?
    @Option(help: "The device id of the receipt, a UUID (default: the customer's fixed device).")
    var deviceID: String?
    @Option(help: "Writes the bytes to a file instead of printing Base64.")
    var out: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard (customer == nil) != (transaction == nil) else {
            throw ValidationError("Give --customer or --transaction.")
        }
    }

    func run() async throws {
        let answer = try await receipt(try await scope.connect(to: try server.client()))
        guard let out else { return try server.show(answer) { $0.receipt } }
        let data = Data(base64Encoded: answer.receipt) ?? Data()
        guard FileManager.default.createFile(atPath: out, contents: data) else {
            throw CommandRefused("\(out) cannot be written.")
        }
        Output.show(.members(["file": .string(out)]), asJSON: server.json) { _ in "Wrote \(out)." }
    }

    private func receipt(_ server: AppClient) async throws -> ReceiptInfo {
        var owner = customer ?? ""
        if let transaction {
            owner = try await server.client.send(GetTransaction(app: server.app, transactionId: transaction)).customer
        }
        return try await server.client.send(
            GetReceipt(app: server.app, customer: owner, transactionId: transaction, deviceId: deviceID)
        )
    }
}
