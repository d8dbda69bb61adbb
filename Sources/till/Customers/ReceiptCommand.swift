import ArgumentParser
import Foundation
import TillControl

struct ReceiptCommand: DocumentedCommand {
    static let summary = "Prints a receipt as the device gives it to the app, for verifyReceipt."
    static let examples = """
        till receipt --customer ann
        # the DER file, for openssl
        till receipt --customer ann --out receipt.der
        # one transaction, in the format of iOS 6
        till receipt --transaction 2000000000012345
        """
    static let notes =
        "The receipt is Base64 on one line. Receipts have their own root certificate: till ca export --receipts."

    @Option(help: "The customer whose app receipt is printed.")
    var customer: String?
    @Option(help: "Prints the receipt of this one transaction, in the format of iOS 6.")
    var transaction: String?
    @Option(help: "The device id of the receipt, a UUID (default: the customer's fixed device).")
    var deviceID: String?
    @Option(help: "Writes the bytes to a file instead of printing Base64.", completion: .file())
    var out: String?
    @OptionGroup var options: EnvironmentOptions

    func validate() throws {
        guard (customer == nil) != (transaction == nil) else {
            throw ValidationError("Give --customer or --transaction.")
        }
    }

    func run() async throws {
        let answer = try await receipt(try await options.connect())
        guard let out else { return try options.server.show(answer) { $0.receipt } }
        let data = Data(base64Encoded: answer.receipt) ?? Data()
        try Output.write(data, to: out, asJSON: options.server.json)
    }

    private func receipt(_ shop: AppClient) async throws -> ReceiptInfo {
        var owner = customer ?? ""
        if let transaction {
            owner = try await shop.client.send(GetTransaction(app: shop.app, transactionId: transaction)).customer
        }
        return try await shop.client.send(
            GetReceipt(app: shop.app, customer: owner, transactionId: transaction, deviceId: deviceID)
        )
    }
}
