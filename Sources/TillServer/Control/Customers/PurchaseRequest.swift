import Foundation
import TillCore
import TillShop
import TillStorage

/// Reads purchases from bodies of the control API.
extension ControlAPI {
    var purchaseRequest: Schema {
        .object(
            "The purchase.",
            [Schema.required("productId", .string("The product identifier."))] + purchaseProperties
        )
    }

    private var purchaseProperties: [Schema.Property] {
        [
            Schema.optional("quantity", .integer("The quantity: 1 to 10 for consumables, otherwise 1.", 1...10)),
            Schema.optional(
                "storefront",
                .string("The storefront, an Alpha-3 code; the customer's storefront by default.")
            ),
            Schema.optional(
                "price",
                .integer("The price of one unit in milliunits, instead of the catalog's price.", 0...1_000_000_000_000)
            ),
            Schema.optional("currency", .string("The currency of price, as an ISO 4217 code.", example: "EUR")),
            Schema.optional("appAccountToken", .string("The app account token, a UUID.", format: "uuid")),
            Schema.optional("offer", offerSchema),
            billingPlanProperty,
            Schema.optional("orderId", .string("The customer's order to which the purchase is added.")),
            Schema.optional("finished", .boolean("Whether the app finishes the transaction at once.")),
            Schema.optional(
                "interrupted",
                .boolean("Whether the purchase is interrupted and stays pending until the customer completes it.")
            ),
            Schema.optional("deviceId", .string("The device id of the purchase, a UUID.", format: "uuid")),
            Schema.optional("receipt", .boolean("Whether the answer contains the device's app receipt.")),
            instantProperty,
        ]
    }

    /// The body of a change of plan: that of a purchase, without the fields that do not apply to subscribers.
    var changeRequest: Schema {
        .object(
            "The change of the subscription.",
            [
                Schema.required(
                    "productId",
                    .string("A product of the same subscription group; the current product for an offer.")
                ),
                Schema.optional("offer", offerSchema), billingPlanProperty,
                Schema.optional("appAccountToken", .string("The app account token, a UUID.", format: "uuid")),
                Schema.optional("deviceId", .string("The device id of the purchase, a UUID.", format: "uuid")),
                instantProperty,
            ]
        )
    }

    /// The key `at`: the time of an operation.
    var instantProperty: Schema.Property {
        Schema.optional(
            "at",
            .integer("The time of the operation, in milliseconds since 1970; now by default.", instants)
        )
    }

    private var billingPlanProperty: Schema.Property {
        let plans: [BillingPlan.Kind] = [.billedUpfront, .monthly]
        return Schema.optional(
            "billingPlan",
            .string(
                "The billing plan: the year is billed upfront, or in monthly payments with a commitment.",
                oneOf: plans.map(\.rawValue)
            )
        )
    }

    private var offerSchema: Schema {
        .object(
            "The offer. By default, the introductory offer applies if the customer is eligible.",
            [
                Schema.required(
                    "kind",
                    .string("The kind of offer.", oneOf: ["NONE", "INTRODUCTORY", "PROMOTIONAL", "CODE", "WIN_BACK"])
                ),
                Schema.optional("id", .string("The offer identifier; not for INTRODUCTORY.")),
                Schema.optional("token", .string("The JWS with which the app's server signs the offer.")),
                Schema.optional("keyId", .string("The older signature of a promotional offer: the key id.")),
                Schema.optional("nonce", .string("The older signature: the nonce, a UUID.")),
                Schema.optional("timestamp", .integer("The older signature: its time, in milliseconds since 1970.")),
                Schema.optional(
                    "applicationUsername",
                    .string("The older signature: the application username, if it was signed.")
                ),
                Schema.optional("signature", .string("The older signature: the DER signature in Base64.")),
            ]
        )
    }

    /// Reads a purchase, and verifies the signature of a promotional or introductory offer.
    func purchase(of productID: String, _ body: ControlBody, by name: CustomerName) async throws -> Purchase {
        let offer = try await offer(body.object("offer"), productID, name)
        var purchase = Purchase(
            productID: productID,
            quantity: body.number("quantity").map { Int($0) } ?? 1,
            storefront: try body.storefront("storefront"),
            appAccountToken: body.text("appAccountToken"),
            offer: offer.choice,
            offerNonce: offer.granted?.nonce,
            isFinished: body.flag("finished") ?? false,
            billingPlan: body.text("billingPlan").flatMap(BillingPlan.Kind.init(rawValue:)),
            isInterrupted: body.flag("interrupted") ?? false
        )
        if let username = offer.granted?.username {
            guard username == purchase.appAccountToken?.lowercased() || purchase.appAccountToken == nil else {
                throw OfferProofRefused(
                    explanation: "The signature is for the application username \(username.prefix(64)), "
                        + "but the purchase has another app account token."
                )
            }
            purchase.appAccountToken = UUIDText.canonical(username)
        }
        purchase.price = try Self.price(body)
        if let text = body.text("orderId") { purchase.order = try await order(text, of: name) }
        return purchase
    }

    /// The price in the body, in the body's currency or else in the catalog's.
    private static func price(_ body: ControlBody) throws -> PriceOverride? {
        guard let milliunits = body.number("price") else { return nil }
        let currency = body.text("currency")
        guard currency?.utf8.count ?? 3 == 3, currency?.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) ?? true else {
            throw ControlError.bad(
                "bad_currency",
                "A currency must be three capital letters (ISO 4217).",
                path: "$.currency"
            )
        }
        return PriceOverride(milliunits: milliunits, currency: currency)
    }

    private func order(_ text: String, of name: CustomerName) async throws -> OrderID {
        guard let order = OrderID(wireForm: text) else {
            throw ControlError.bad("bad_order_id", "An order id must be M and nine characters.", path: "$.orderId")
        }
        let account = try await shop.storage.account(
            environment: name.scope.environment,
            app: name.scope.app,
            customer: name.customer
        )
        let rows = try await shop.storage.transactions(in: order)
        guard let account, rows.contains(where: { $0.account == account.id }) else { throw Refusal.unknownOrder(order) }
        return order
    }

    func offer(
        _ body: ControlBody?,
        _ productID: String,
        _ customer: CustomerName
    ) async throws -> (choice: OfferChoice, granted: GrantedOffer?) {
        guard let body else { return (.automatic, nil) }
        func id() throws -> String {
            guard let id = body.text("id") else {
                throw ControlError.bad("offer_id_missing", "This kind of offer needs an id.", path: "$.offer.id")
            }
            return id
        }
        let proof: OfferProof
        switch body.text("kind") {
        case "INTRODUCTORY":
            guard let token = body.text("token") else { return (.introductory(evenIfUsed: false), nil) }
            proof = .introductoryJWS(token)
        case "PROMOTIONAL": proof = try promotionalProof(body, offerID: try id())
        case "CODE": return (.code(try id()), nil)
        case "WIN_BACK": return (.winBack(try id()), nil)
        default: return (.none, nil)
        }
        let granted = try await shop.offer(grantedBy: proof, productID: productID, to: customer)
        return (granted.choice, granted)
    }

    private func promotionalProof(_ body: ControlBody, offerID: String) throws -> OfferProof {
        if let token = body.text("token") { return .promotionalJWS(offerID: offerID, token: token) }
        guard
            let keyID = body.text("keyId"), let nonce = body.text("nonce"),
            let timestamp = body.number("timestamp"), let signature = body.text("signature")
        else {
            throw OfferProofRefused(
                explanation: "A promotional offer needs the app's signature: a token, or keyId, nonce, timestamp and "
                    + "signature. The official libraries create both."
            )
        }
        return .promotional(
            offerID: offerID,
            keyID: keyID,
            nonce: nonce,
            timestamp: timestamp,
            applicationUsername: body.text("applicationUsername") ?? "",
            signature: signature
        )
    }
}
