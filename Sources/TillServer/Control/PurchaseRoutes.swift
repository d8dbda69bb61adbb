import Foundation
import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// Buying, and what the device then hands to the app.
extension ControlAPI {
    static let purchaseSchema = Schema.object(
        "A transaction and what the customer's device hands over.",
        [
            Schema.required("transactionId", .string("The transaction.")),
            Schema.required("originalTransactionId", .string("Its original.")),
            Schema.required("appTransactionId", .string("The customer's app transaction id.")),
            Schema.optional("webOrderLineItemId", .string("Only for auto-renewables.")),
            Schema.optional("orderId", .string("What the customer's receipt shows.")),
            Schema.required("signedTransactionInfo", .string("The transaction as the server API hands it over.")),
            Schema.optional("signedRenewalInfo", .string("Only for auto-renewables.")),
            Schema.required(
                "device",
                .object(
                    "What StoreKit on the device gives to the app.",
                    [
                        Schema.required("deviceId", .string("The device; the one that was asked for, or a new one.")),
                        Schema.required("signedTransactionInfo", .string("With deviceVerification and its nonce.")),
                        Schema.optional("signedAppTransactionInfo", .string("Absent without an app transaction.")),
                    ]
                )
            ),
            Schema.required("events", .array("What happened, in order.", of: .string("An event."))),
        ]
    )

    private var purchaseRequest: Schema {
        .object(
            "A purchase.",
            [
                Schema.required("productId", .string("The product.")),
                Schema.optional("quantity", .integer("1 to 10 for consumables, else 1.", 1...10)),
                Schema.optional("storefront", .string("Alpha-3; the customer's own by default.")),
                Schema.optional(
                    "price",
                    .integer("Milliunits for one piece, instead of the catalogue's.", 0...1_000_000_000_000)
                ),
                Schema.optional("currency", .string("Of that price; ISO 4217.", example: "EUR")),
                Schema.optional("appAccountToken", .string("A UUID.", format: "uuid")),
                Schema.optional("offer", offerSchema),
                Schema.optional("orderId", .string("Adds the purchase to this order of the customer's.")),
                Schema.optional("finished", .boolean("Whether the app finishes it at once.")),
                Schema.optional("deviceId", .string("The device that buys; a UUID.", format: "uuid")),
                Schema.optional("at", .integer("When, in milliseconds since 1970; now by default.", instants)),
            ]
        )
    }

    private var offerSchema: Schema {
        .object(
            "Which offer to take. Left out, the introductory offer applies if the customer may have it.",
            [
                Schema.required(
                    "kind",
                    .string("The offer.", oneOf: ["NONE", "INTRODUCTORY", "PROMOTIONAL", "CODE", "WIN_BACK"])
                ),
                Schema.optional("id", .string("The offer's identifier; not for INTRODUCTORY.")),
                Schema.optional("token", .string("A JWS by which the app's server grants it.")),
                Schema.optional("keyId", .string("Older promotional form: the key.")),
                Schema.optional("nonce", .string("Older promotional form: the nonce, a UUID.")),
                Schema.optional("timestamp", .integer("Older promotional form: milliseconds since 1970.")),
                Schema.optional("applicationUsername", .string("Older promotional form: may be left out.")),
                Schema.optional("signature", .string("Older promotional form: Base64 of DER.")),
            ]
        )
    }

    var purchaseRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{realm}/customers/{customer}/purchases",
                id: "buy",
                tag: "purchases",
                summary: "Lets a customer buy; one who does not exist is created.",
                request: purchaseRequest,
                response: Self.purchaseSchema,
                status: .created
            ) { try await buy($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{realm}/transactions/{transactionId}",
                id: "getTransaction",
                tag: "purchases",
                summary: "A transaction, signed anew, with what the device hands over.",
                query: [Schema.optional("deviceId", .string("A UUID."))],
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let device = try Self.device(exchange.query.values("deviceId").first)
                return try json(row, account, device: device, events: [])
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{realm}/transactions/{transactionId}/finish",
                id: "finishTransaction",
                tag: "purchases",
                summary: "The app finishes a transaction on the device.",
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let name = CustomerName(try exchange.scope(), account.customer)
                let outcome = try await shop.perform(.finish(row.id), by: name)
                return try json(row, outcome.account, device: UUID(), events: outcome.events)
            },
        ]
    }

    private func buy(_ exchange: ControlExchange) async throws -> [UInt8] {
        let body = exchange.body
        let name = try exchange.customer()
        let device = try Self.device(body.text("deviceId"))
        let productID = body.text("productId") ?? ""
        let offer = try await offer(body.object("offer"), productID, name)
        var purchase = Purchase(
            productID: productID,
            quantity: body.number("quantity").map { Int($0) } ?? 1,
            storefront: try body.storefront("storefront"),
            appAccountToken: body.text("appAccountToken"),
            offer: offer.choice,
            offerNonce: offer.granted?.nonce,
            isFinished: body.flag("finished") ?? false
        )
        if let username = offer.granted?.username {
            guard username == purchase.appAccountToken?.lowercased() || purchase.appAccountToken == nil else {
                throw OfferProofRefused(
                    explanation: "The signature is for the application username \(username.prefix(64)); "
                        + "the purchase carries another app account token."
                )
            }
            purchase.appAccountToken = UUIDText.canonical(username)
        }
        purchase.price = try await price(body, purchase, name)
        if let text = body.text("orderId") { purchase.order = try await order(text, of: name) }
        let outcome = try await shop.perform(
            .purchase(purchase),
            by: name,
            at: body.instant("at"),
            opening: try Self.opening(body)
        )
        let bought = outcome.transaction ?? subscription(to: purchase.productID, outcome.account)?.current
        guard let row = bought else {
            throw ControlError.conflict("nothing_bought", "The purchase left no transaction.")
        }
        return try json(row, outcome.account, device: device, events: outcome.events)
    }

    /// After an offer or a change of plan for the next period there is no new row: the running one is shown.
    private func subscription(to productID: String, _ account: Account) -> Subscription? {
        let group = shop.registry.catalog(of: account.app).products[productID]?.plan?.groupID
        return group.flatMap { account.subscription(toGroup: $0) }
    }

    private func price(_ body: ControlBody, _ purchase: Purchase, _ name: CustomerName) async throws -> Money? {
        guard let milliunits = body.number("price") else { return nil }
        let scope = name.scope
        let account = try await shop.storage.account(realm: scope.realm, app: scope.app, customer: name.customer)
        let storefront = purchase.storefront ?? account?.storefront ?? .unitedStates
        let standard = shop.registry.catalog(of: scope.app).products[purchase.productID]?.prices[storefront].currency
        let currency = body.text("currency") ?? standard ?? storefront.currency
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) else {
            throw ControlError.bad(
                "bad_currency",
                "A currency is three capital letters (ISO 4217).",
                path: "$.currency"
            )
        }
        return Money(milliunits: milliunits, currency: currency)
    }

    private func order(_ text: String, of name: CustomerName) async throws -> OrderID {
        guard let order = OrderID(wireForm: text) else {
            throw ControlError.bad("bad_order_id", "An order id is M and nine characters.", path: "$.orderId")
        }
        let account = try await shop.storage.account(
            realm: name.scope.realm,
            app: name.scope.app,
            customer: name.customer
        )
        let rows = try await shop.storage.transactions(in: order)
        guard let account, rows.contains(where: { $0.account == account.id }) else { throw Refusal.unknownOrder(order) }
        return order
    }

    private func offer(
        _ body: ControlBody?,
        _ productID: String,
        _ customer: CustomerName
    ) async throws -> (choice: OfferChoice, granted: GrantedOffer?) {
        guard let body else { return (.automatic, nil) }
        func id() throws -> String {
            guard let id = body.text("id") else {
                throw ControlError.bad("offer_id_missing", "This kind of offer is named by its id.", path: "$.offer.id")
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
                    + "signature. The official libraries make both."
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

    private static func device(_ text: String?) throws -> UUID {
        guard let text else { return UUID() }
        guard let device = UUID(uuidString: text) else {
            throw ControlError.bad("bad_device_id", "A device id is a UUID.", path: "$.deviceId")
        }
        return device
    }

    /// A transaction with everything that a test of a backend wants of it.
    func json(_ row: Transaction, _ account: Account, device: UUID, events: [Event]) throws -> [UInt8] {
        let now = shop.now(in: AccountScope(realm: account.realm, app: account.app))
        var handed = PayloadWriter()
        handed.put("deviceId", device.uuidString.lowercased())
        handed.put("signedTransactionInfo", try shop.signedOnDevice(row, account, device: device, at: now))
        handed.put("signedAppTransactionInfo", try shop.appTransactionSignedOnDevice(account, device: device, at: now))
        let subscription = account.subscriptions.first { $0.originalID == row.originalID }
        var json = PayloadWriter(capacity: 32_768)
        json.put("transactionId", row.id.wireForm)
        json.put("originalTransactionId", row.originalID.wireForm)
        json.put("appTransactionId", row.account.wireForm)
        json.put("webOrderLineItemId", row.lineItem.map { String($0) })
        json.put("orderId", row.order?.wireForm)
        json.put("signedTransactionInfo", try shop.signed(row, realm: account.realm, app: account.app, at: now))
        json.put(
            "signedRenewalInfo",
            try subscription.map { try shop.signedRenewalInfo(of: $0, held: account, at: now) }
        )
        json.put("device", written: handed.finish())
        json.put("events", events.map(\.name))
        return json.finish()
    }
}

extension Event {
    /// The event's name, in the words of the control API.
    var name: String {
        String(String(describing: self).prefix { $0 != "(" })
    }
}
