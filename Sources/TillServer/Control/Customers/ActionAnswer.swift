import Foundation
import TillCore
import TillShop
import TillStorage

/// The effects of an operation, in answers of the control API.
struct Effects {
    var events: [Event] = []
    var notifications: [TillCore.Notification] = []

    /// No effects.
    init() {}

    init(_ outcome: Outcome) {
        events = outcome.events
        notifications = outcome.ledger.notifications
    }

    /// Adds the effects of a later operation.
    mutating func add(_ other: Effects) {
        events += other.events
        notifications += other.notifications
    }

    static let properties = [
        Schema.required("events", .array("The events, in order.", of: .string("An event."))),
        Schema.required(
            "notifications",
            .array(
                "The notifications about it, in order.",
                of: .string("A type, with its subtype after a slash.", example: "SUBSCRIBED/INITIAL_BUY")
            )
        ),
    ]

    func write(to json: inout PayloadWriter) {
        json.put("events", events.map(\.name))
        json.put("notifications", notifications.map { Notice($0.type, $0.subtype).words })
    }
}

extension Event {
    /// The event's name in the control API.
    var name: String {
        switch self {
        case .charged: "charged"
        case .alreadyOwned: "alreadyOwned"
        case .subscribed: "subscribed"
        case .resubscribed: "resubscribed"
        case .renewed: "renewed"
        case .recovered: "recovered"
        case .upgraded: "upgraded"
        case .planChangeChosen: "planChangeChosen"
        case .planChangeWithdrawn: "planChangeWithdrawn"
        case .offerRedeemed: "offerRedeemed"
        case .autoRenewEnabled: "autoRenewEnabled"
        case .autoRenewDisabled: "autoRenewDisabled"
        case .failedToRenew: "failedToRenew"
        case .gracePeriodEntered: "gracePeriodEntered"
        case .gracePeriodExpired: "gracePeriodExpired"
        case .expired: "expired"
        case .priceIncreasePending: "priceIncreasePending"
        case .priceIncreaseAccepted: "priceIncreaseAccepted"
        case .extended: "extended"
        case .extensionFailed: "extensionFailed"
        case .finished: "finished"
        case .appAccountTokenSet: "appAccountTokenSet"
        case .refundRequested: "refundRequested"
        case .consumptionReported: "consumptionReported"
        case .refunded: "refunded"
        case .refundDeclined: "refundDeclined"
        case .refundReversed: "refundReversed"
        case .familyAccessRevoked: "familyAccessRevoked"
        case .familyAccessRestored: "familyAccessRestored"
        case .joinedFamily: "joinedFamily"
        case .leftFamily: "leftFamily"
        case .appDownloaded: "appDownloaded"
        case .purchaseHeld: "purchaseHeld"
        case .purchaseDeclined: "purchaseDeclined"
        case .cardChanged: "cardChanged"
        }
    }
}

extension ControlAPI {
    /// A transaction, the device's data, and the effects.
    static let purchaseSchema = Schema.object(
        "A transaction, the data from the customer's device, and the effects.",
        transactionProperties + Effects.properties
    )

    /// The same for a purchase, which may be pending.
    static let boughtSchema = Schema.object(
        "The result of a purchase: a transaction with the data from the device, or the number of a pending purchase.",
        transactionProperties.map { Schema.Property(name: $0.name, schema: $0.schema, isRequired: false) } + [
            Schema.optional("held", .integer("The number of the pending purchase; then there is no transaction."))
        ] + Effects.properties
    )

    /// Distinguishes a purchase from a change at the next renewal.
    private static let resultProperty = Schema.optional(
        "result",
        .string(
            "The result of a purchase. With a result that ends in Scheduled, and with changeWithdrawn, the "
                + "transaction is the current one; nothing was bought.",
            oneOf: PurchaseResult.allCases.map(\.rawValue)
        )
    )

    private static let transactionProperties = [
        resultProperty,
        Schema.required("customer", .string("The customer of the transaction.")),
        Schema.required("transactionId", .string("The transaction.")),
        Schema.required("originalTransactionId", .string("Its original transaction.")),
        Schema.required("appTransactionId", .string("The customer's app transaction id.")),
        Schema.optional("webOrderLineItemId", .string("Only for auto-renewables.")),
        Schema.optional("orderId", .string("The order id on the customer's invoice.")),
        Schema.required("productId", .string("The product.")),
        Schema.required("quantity", .integer("The quantity.")),
        Schema.optional("price", .integer("The total in milliunits; absent for a family member's copy.")),
        Schema.optional("currency", .string("ISO 4217.")),
        Schema.required("purchaseDate", .integer("Milliseconds since 1970.")),
        Schema.optional("expiresDate", .integer("Only for auto-renewables.")),
        Schema.optional("revocationDate", .integer("Present while it is refunded or no longer shared.")),
        Schema.optional(
            "revocationType",
            .string(
                "The kind of revocation.",
                oneOf: [Revocation.Kind.refundFull, .refundProrated, .familyRevoke].map(\.rawValue)
            )
        ),
        Schema.optional("revocationPercentage", .integer("Of a refund: the percentage of the price in milliunits.")),
        Schema.required("signedTransactionInfo", .string("The transaction as in the App Store Server API.")),
        Schema.optional("signedRenewalInfo", .string("Only for auto-renewables.")),
        Schema.required(
            "device",
            .object(
                "The data that StoreKit on the device gives to the app.",
                [
                    Schema.required("deviceId", .string("The requested device, or a new one.")),
                    Schema.required("signedTransactionInfo", .string("With deviceVerification and its nonce.")),
                    Schema.optional("signedAppTransactionInfo", .string("Absent without an app transaction.")),
                    Schema.optional("appReceipt", .string("Only if requested: the app receipt, Base64.")),
                ]
            )
        ),
        Schema.optional("subscription", subscriptionSchema),
        Schema.optional("refundRequest", refundRequestSchema),
    ]

    /// Runs an operation on an account, at the instant in the body.
    func perform(_ command: Command, by account: Account, _ exchange: ControlExchange) async throws -> Outcome {
        try await shop.perform(
            command,
            by: CustomerName(try exchange.scope(), account.customer),
            at: exchange.body.instant("at")
        )
    }

    /// The same for the transaction in the path; answers with its new state.
    func perform(onTransactionOf exchange: ControlExchange, _ command: (TransactionID) -> Command) async throws
        -> [UInt8]
    {
        let (row, account) = try await exchange.transaction()
        let outcome = try await perform(command(row.id), by: account, exchange)
        return try json(outcome.ledger.transactions[row.id] ?? row, outcome.account, device: UUID(), Effects(outcome))
    }

    /// A transaction with everything that a backend test needs.
    ///
    /// - Parameters:
    ///   - receipt: the device's app receipt in Base64, if requested.
    ///   - result: the result of a purchase; nil when nothing was bought or changed.
    func json(
        _ row: Transaction,
        _ account: Account,
        device: UUID,
        receipt: String? = nil,
        result: PurchaseResult? = nil,
        _ effects: Effects
    ) throws -> [UInt8] {
        let now = shop.now(of: account)
        var handed = PayloadWriter()
        handed.put("deviceId", device.uuidString.lowercased())
        handed.put("signedTransactionInfo", try shop.signedOnDevice(row, account, device: device, at: now))
        handed.put("signedAppTransactionInfo", try shop.appTransactionSignedOnDevice(account, device: device, at: now))
        handed.put("appReceipt", receipt)
        let subscription = account.heldSubscription(row.originalID)
        var json = PayloadWriter(capacity: 32_768)
        json.put("result", result?.rawValue)
        json.put("customer", account.customer)
        json.put("transactionId", row.id.wireForm)
        json.put("originalTransactionId", row.originalID.wireForm)
        json.put("appTransactionId", row.account.wireForm)
        json.put("webOrderLineItemId", row.lineItem.map { String($0) })
        json.put("orderId", row.order?.wireForm)
        json.put("productId", row.productID)
        json.put("quantity", row.quantity)
        json.put("price", row.price?.milliunits)
        json.put("currency", row.price?.currency)
        json.put("purchaseDate", row.purchaseDate)
        json.put("expiresDate", row.expiresDate)
        json.put("revocationDate", row.revocation?.date)
        json.put("revocationType", row.revocation?.kind.rawValue)
        json.put("revocationPercentage", row.revocation?.percentage)
        json.put(
            "signedTransactionInfo",
            try shop.signed(row, environment: account.environment, app: account.app, at: now)
        )
        json.put(
            "signedRenewalInfo",
            try subscription.map { try shop.signedRenewalInfo(of: $0, held: account, at: now) }
        )
        json.put("device", written: handed.finish())
        json.put("subscription", written: subscription.map { self.json($0, account) })
        json.put(
            "refundRequest",
            written: account.refundRequests.first { $0.transaction == row.id }.map { Self.json($0, account) }
        )
        effects.write(to: &json)
        return json.finish()
    }

    /// The answer for a pending purchase.
    func held(_ number: Int64, _ outcome: Outcome) -> [UInt8] {
        var json = PayloadWriter()
        json.put("result", PurchaseResult.held.rawValue)
        json.put("customer", outcome.account.customer)
        json.put("held", number)
        Effects(outcome).write(to: &json)
        return json.finish()
    }
}
