import Foundation
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The effects of an operation: events and notifications, for answers of the control API.
struct Effects {
    var events: [Event] = []
    var notifications: [TillCore.Notification] = []

    /// Creates an empty list of effects.
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
        Schema.required("events", .array("The events, in chronological order.", of: .string("An event."))),
        Schema.required(
            "notifications",
            .array(
                "The notifications about the events, in chronological order.",
                of: .string("A notification type, with its subtype after a slash.", example: "SUBSCRIBED/INITIAL_BUY")
            )
        ),
    ]

    func write(to json: inout JSONWriter) {
        json.put("events", events.map(\.name))
        json.put("notifications", notifications.map { Notice($0.type, $0.subtype).words })
    }
}

extension Event {
    /// The name of the event in the control API.
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
    /// The schema of a transaction with the data from the device and the effects.
    static let purchaseSchema = Schema.object(
        "A transaction, the data that the customer's device gives to the app, and the effects.",
        transactionProperties + Effects.properties
    )

    /// The schema of the answer to a purchase, which may be pending.
    static let boughtSchema = Schema.object(
        "The result of a purchase: a transaction with the data from the device, or the number of a pending purchase.",
        transactionProperties.map { Schema.Property(name: $0.name, schema: $0.schema, isRequired: false) } + [
            Schema.optional("held", .integer("The number of the pending purchase; the answer then has no transaction."))
        ] + Effects.properties
    )

    /// The key `result`, which distinguishes a purchase from a change that takes effect at the next renewal.
    private static let resultProperty = Schema.optional(
        "result",
        .string(
            "The result of a purchase. If it ends in Scheduled, or is changeWithdrawn, nothing was bought: the "
                + "transaction is the current one.",
            oneOf: PurchaseResult.allCases.map(\.rawValue)
        )
    )

    private static let transactionProperties = [
        resultProperty,
        Schema.required("customer", .string("The customer who owns the transaction.")),
        Schema.required("transactionId", .string("The transaction id.")),
        Schema.required("originalTransactionId", .string("The original transaction id.")),
        Schema.required("appTransactionId", .string("The customer's app transaction id.")),
        Schema.optional("webOrderLineItemId", .string("The id of the subscription period; only for auto-renewables.")),
        Schema.optional("orderId", .string("The order id on the customer's invoice.")),
        Schema.required("productId", .string("The product identifier.")),
        Schema.required("quantity", .integer("The quantity.")),
        Schema.optional("price", .integer("The total price in milliunits; absent for a family member's copy.")),
        Schema.optional("currency", .string("The currency of the price, as an ISO 4217 code.")),
        Schema.required("purchaseDate", .integer("The purchase date, in milliseconds since 1970.")),
        Schema.optional(
            "expiresDate",
            .integer("The end of the period, in milliseconds since 1970; only for auto-renewables.")
        ),
        Schema.optional(
            "revocationDate",
            .integer("The date of the refund, or of the end of sharing; absent while not revoked.")
        ),
        Schema.optional(
            "revocationType",
            .string(
                "The type of the revocation.",
                oneOf: [Revocation.Kind.refundFull, .refundProrated, .familyRevoke].map(\.rawValue)
            )
        ),
        Schema.optional("revocationPercentage", .integer("The refunded percentage of the price, in milliunits.")),
        Schema.required(
            "signedTransactionInfo",
            .string("The signed transaction, as the App Store Server API returns it.")
        ),
        Schema.optional("signedRenewalInfo", .string("The signed renewal info; only for auto-renewables.")),
        Schema.required(
            "device",
            .object(
                "The data that StoreKit gives to the app on the customer's device.",
                [
                    Schema.required("deviceId", .string("The device id of the request, or a new device id.")),
                    Schema.required(
                        "signedTransactionInfo",
                        .string("The signed transaction, with deviceVerification and its nonce.")
                    ),
                    Schema.optional(
                        "signedAppTransactionInfo",
                        .string("The signed app transaction; absent if the customer has none.")
                    ),
                    Schema.optional("appReceipt", .string("The app receipt in Base64; only if requested.")),
                ]
            )
        ),
        Schema.optional("subscription", subscriptionSchema),
        Schema.optional("refundRequest", refundRequestSchema),
    ]

    /// Runs a command for an account, at the time given in the body.
    func perform(_ command: Command, by account: Account, _ exchange: ControlExchange) async throws -> Outcome {
        try await shop.perform(
            command,
            by: CustomerName(try exchange.scope(), account.customer),
            at: exchange.body.instant("at")
        )
    }

    /// Runs a command for the transaction in the path, and answers with the changed transaction.
    func perform(onTransactionOf exchange: ControlExchange, _ command: (TransactionID) -> Command) async throws
        -> [UInt8]
    {
        let (row, account) = try await exchange.transaction()
        let outcome = try await perform(command(row.id), by: account, exchange)
        return try json(outcome.ledger.transactions[row.id] ?? row, outcome.account, device: UUID(), Effects(outcome))
    }

    /// Writes a transaction with everything that a test of a backend needs.
    ///
    /// - Parameters:
    ///   - receipt: the device's app receipt in Base64; nil if it was not requested.
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
        var handed = JSONWriter()
        handed.put("deviceId", device.uuidString.lowercased())
        handed.put("signedTransactionInfo", try shop.signedOnDevice(row, account, device: device, at: now))
        handed.put("signedAppTransactionInfo", try shop.appTransactionSignedOnDevice(account, device: device, at: now))
        handed.put("appReceipt", receipt)
        let subscription = account.heldSubscription(row.originalID)
        var json = JSONWriter(capacity: 32_768)
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

    /// Writes the answer for a pending purchase.
    func held(_ number: Int64, _ outcome: Outcome) -> [UInt8] {
        var json = JSONWriter()
        json.put("result", PurchaseResult.held.rawValue)
        json.put("customer", outcome.account.customer)
        json.put("held", number)
        Effects(outcome).write(to: &json)
        return json.finish()
    }
}
