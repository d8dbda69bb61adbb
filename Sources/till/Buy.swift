import ArgumentParser
import Foundation
import TillShop

struct Buy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lets a customer buy, and prints what the device then hands to the app.",
        discussion: """
            till buy com.example.coins --customer ann --quantity 3
            till buy com.example.pro.month --customer ann             with the introductory offer, if ann may have it
            till buy com.example.pro.month --customer ann --code SPRING
            till buy com.example.pro.month --customer ann --json | jq -r .device.signedTransactionInfo

            A customer who does not exist is created. Promotional offers need the signature that your own backend
            makes: --promotional ID with --token JWS, or with --key-id, --nonce, --timestamp and --signature.
            """
    )

    @Argument(help: "The product.")
    var product: String
    @Option(help: "The customer's name in this store.")
    var customer: String
    @Option(help: "1 to 10 for consumables.")
    var quantity: Int = 1
    @Option(help: "Where it is bought, three capital letters.")
    var storefront: String?
    @Option(help: "A UUID that the app gives the purchase.")
    var appAccountToken: String?
    @Flag(help: "Takes no offer, not even the introductory one.")
    var noOffer = false
    @Flag(help: "Insists on the introductory offer.")
    var introductory = false
    @Option(help: "Redeems a code offer by its identifier.")
    var code: String?
    @Option(help: "Takes a win-back offer by its identifier.")
    var winBack: String?
    @Option(help: "Takes a promotional offer by its identifier.")
    var promotional: String?
    @Option(help: "The JWS by which the app's server grants the offer.")
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
    @Option(help: "Adds the purchase to an order of the customer's.")
    var order: String?
    @Flag(help: "The app finishes the transaction at once.")
    var finish = false
    @Option(help: "When, in milliseconds since 1970 (default now).")
    var at: Int?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
        let chosen = [noOffer, introductory, code != nil, winBack != nil, promotional != nil].filter { $0 }
        guard chosen.count <= 1 else {
            throw ValidationError("Choose one of --no-offer, --introductory, --code, --win-back and --promotional.")
        }
    }

    func run() async throws {
        try await server.show { client in
            try await client.post(
                "\(try await scope.path(client))/customers/\(escaped(customer))/purchases",
                .members([
                    "productId": .string(product), "quantity": .count(quantity), "storefront": .text(storefront),
                    "appAccountToken": .text(appAccountToken), "offer": offer, "orderId": .text(order),
                    "finished": finish ? .bool(true) : nil, "at": .count(at),
                ])
            )
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

struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Refunds a transaction, or takes a refund back.",
        discussion: """
            till refund 2000000000012345                    in full
            till refund 2000000000012345 --percentage 50
            till refund 2000000000012345 --unused           the unused part of a subscription's period
            till refund 2000000000012345 --reverse
            """
    )

    @Argument(help: "The transaction.")
    var transaction: String
    @Option(help: "Percent of the price, up to three decimals.")
    var percentage: Double?
    @Flag(help: "Refunds the unused part of a subscription's period.")
    var unused = false
    @Flag(help: "Because of an issue in the app (revocationReason 1).")
    var issueInApp = false
    @Flag(help: "Takes the refund back.")
    var reverse = false
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
        if let percentage, !(percentage > 0 && percentage < 100) {
            throw ValidationError("--percentage is more than 0 and less than 100; leave it out to refund in full.")
        }
        guard [percentage != nil, unused, reverse].filter({ $0 }).count <= 1 else {
            throw ValidationError("Choose one of --percentage, --unused and --reverse.")
        }
    }

    func run() async throws {
        let client = try server.client()
        let path = "\(try await scope.path(client))/transactions/\(escaped(transaction))/refund"
        let outcome =
            reverse
            ? try await client.post(path + "/reverse")
            : try await client.post(
                path,
                .members([
                    "share": .string(unused ? "UNUSED" : percentage == nil ? "FULL" : "PART"),
                    "percentage": .count(percentage.map { Int(($0 * 1_000).rounded()) }),
                    "reason": .count(issueInApp ? 1 : 0),
                ])
            )
        Output.show(outcome, asJSON: server.json) { Output.lines($0) }
    }
}
