import ArgumentParser
import Foundation
import TillShop

struct Buy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a purchase for a customer; --json includes the data that the device gives to the app.",
        discussion: """
            till buy com.example.coins --customer ann --quantity 3
            till buy com.example.pro.month --customer ann             with the introductory offer, if eligible
            till buy com.example.pro.month --customer ann --code SPRING
            till buy com.example.pro.month --customer ann --json | jq -r .device.signedTransactionInfo
            till buy com.example.pro.month --customer ann --json | jq -r .device.appReceipt

            till buy com.example.pro.year --customer ann --billing-plan MONTHLY    twelve payments

            A customer who does not exist is created. A promotional offer needs a signature from your own backend:
            --promotional ID with --token JWS, or with --key-id, --nonce, --timestamp and --signature.
            """
    )

    @Argument(help: "The product.")
    var product: String
    @Option(help: "The customer's name in Till.")
    var customer: String
    @Option(help: "The quantity, 1 to 10 for consumables.")
    var quantity: Int = 1
    @Option(help: "The storefront of the purchase, three capital letters.")
    var storefront: String?
    @Option(help: "The appAccountToken, a UUID set by the app.")
    var appAccountToken: String?
    @Flag(help: "Buys without any offer, even the introductory one.")
    var noOffer = false
    @Flag(help: "Requires the introductory offer.")
    var introductory = false
    @Option(help: "Redeems a code offer, by its identifier.")
    var code: String?
    @Option(help: "Uses a win-back offer, by its identifier.")
    var winBack: String?
    @Option(help: "Uses a promotional offer, by its identifier.")
    var promotional: String?
    @Option(help: "The JWS with which the app's server grants the offer.")
    var token: String?
    @Option(help: "Older promotional form: the key.")
    var keyID: String?
    @Option(help: "Older promotional form: the nonce.")
    var nonce: String?
    @Option(help: "Older promotional form: milliseconds since 1970.")
    var timestamp: Int?
    @Option(help: "Older promotional form: the application username.")
    var applicationUsername: String?
    @Option(help: "Older promotional form: the signature, Base64.")
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
                "--token grants a promotional or an introductory offer: add --promotional ID or --introductory."
            )
        }
        let olderForm = [
            ("--key-id", keyID != nil), ("--nonce", nonce != nil), ("--timestamp", timestamp != nil),
            ("--application-username", applicationUsername != nil), ("--signature", signature != nil),
        ]
        guard let given = olderForm.first(where: \.1)?.0 else { return }
        if promotional == nil {
            throw ValidationError("\(given) is part of the signature of a promotional offer: add --promotional ID.")
        }
        if token != nil {
            throw ValidationError("Give either --token or the older form with \(given).")
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
