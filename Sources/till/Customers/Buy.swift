import ArgumentParser
import Foundation
import TillJSON
import TillShop

struct Buy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a purchase for a customer; --json also prints the data that the device gives to the app.",
        discussion: """
            till buy com.example.coins --customer ann --quantity 3
            till buy com.example.pro.month --customer ann             with the introductory offer, if eligible
            till buy com.example.pro.month --customer ann --code SPRING
            till buy com.example.pro.month --customer ann --json | jq -r .device.signedTransactionInfo
            till buy com.example.pro.month --customer ann --json | jq -r .device.appReceipt

            till buy com.example.pro.year --customer ann --billing-plan MONTHLY    a commitment with twelve payments

            A customer who does not exist is created. For a promotional offer, your own backend creates a signature:
            give --promotional ID with --token JWS, or with --key-id, --nonce, --timestamp and --signature.
            """
    )

    @Argument(help: "The product identifier.")
    var product: String
    @Option(help: "The customer's name in Till.")
    var customer: String
    @Option(help: "The quantity, 1 to 10 for consumables.")
    var quantity: Int = 1
    @Option(help: "The storefront of the purchase, three capital letters.")
    var storefront: String?
    @Option(help: "The appAccountToken, a UUID set by the app.")
    var appAccountToken: String?
    @Flag(help: "Buys without any offer, even without the introductory offer.")
    var noOffer = false
    @Flag(help: "Buys with the introductory offer, or fails if the customer is not eligible.")
    var introductory = false
    @Option(help: "Redeems the offer code offer with this identifier.")
    var code: String?
    @Option(help: "Uses the win-back offer with this identifier.")
    var winBack: String?
    @Option(help: "Uses the promotional offer with this identifier.")
    var promotional: String?
    @Option(help: "The JWS with which the app's server signs the offer.")
    var token: String?
    @Option(help: "The older signature of a promotional offer: the key id.")
    var keyID: String?
    @Option(help: "The older signature: the nonce.")
    var nonce: String?
    @Option(help: "The older signature: its time, in milliseconds since 1970.")
    var timestamp: Int?
    @Option(help: "The older signature: the application username.")
    var applicationUsername: String?
    @Option(help: "The older signature: the signature in Base64.")
    var signature: String?
    @Option(help: "Adds the purchase to an existing order of the customer.")
    var order: String?
    @Flag(help: "The app finishes the transaction at once.")
    var finish = false
    @Option(help: "BILLED_UPFRONT or MONTHLY, if the product has both.")
    var billingPlan: String?
    @Flag(help: "Interrupts the purchase; the customer completes it later (till purchase approve).")
    var interrupted = false
    @OptionGroup var options: ActionOptions

    func validate() throws {
        let chosen = [noOffer, introductory, code != nil, winBack != nil, promotional != nil].filter { $0 }
        guard chosen.count <= 1 else {
            throw ValidationError("Choose one of --no-offer, --introductory, --code, --win-back and --promotional.")
        }
        if token != nil, promotional == nil, !introductory {
            throw ValidationError(
                "--token signs a promotional or an introductory offer. Add --promotional ID or --introductory."
            )
        }
        let olderForm = [
            ("--key-id", keyID != nil), ("--nonce", nonce != nil), ("--timestamp", timestamp != nil),
            ("--application-username", applicationUsername != nil), ("--signature", signature != nil),
        ]
        guard let given = olderForm.first(where: \.1)?.0 else { return }
        if promotional == nil {
            throw ValidationError("\(given) is part of the signature of a promotional offer. Add --promotional ID.")
        }
        if token != nil {
            throw ValidationError("Give either --token or the older signature with \(given), not both.")
        }
    }

    func run() async throws {
        try await options.perform([
            "productId": .string(product), "quantity": .count(quantity), "storefront": .text(storefront),
            "appAccountToken": .text(appAccountToken), "offer": offer, "orderId": .text(order),
            "finished": finish ? .bool(true) : nil, "billingPlan": .text(billingPlan),
            "interrupted": interrupted ? .bool(true) : nil, "receipt": .bool(true),
        ]) { _ in
            "customers/\(escaped(customer))/purchases"
        } saying: {
            PurchaseSummary.text($0, customer: customer, product: product)
        }
    }

    private var offer: JSONTree? {
        if noOffer { return .members(["kind": .string("NONE")]) }
        if introductory { return .members(["kind": .string("INTRODUCTORY"), "token": .text(token)]) }
        if let code { return .members(["kind": .string("CODE"), "id": .string(code)]) }
        if let winBack { return .members(["kind": .string("WIN_BACK"), "id": .string(winBack)]) }
        guard let promotional else { return nil }
        return .members([
            "kind": .string("PROMOTIONAL"), "id": .string(promotional), "token": .text(token), "keyId": .text(keyID),
            "nonce": .text(nonce), "timestamp": .count(timestamp), "applicationUsername": .text(applicationUsername),
            "signature": .text(signature),
        ])
    }
}
