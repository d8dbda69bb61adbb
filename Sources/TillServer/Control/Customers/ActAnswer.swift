import Foundation
import TillCore
import TillShop
import TillStorage

/// What an act brought about, as control answers it.
struct Effects {
    var events: [Event] = []
    var notifications: [TillCore.Notification] = []

    /// Nothing happened.
    init() {}

    init(_ outcome: Outcome) {
        events = outcome.events
        notifications = outcome.ledger.notifications
    }

    /// What another act brought about after this one.
    mutating func add(_ other: Effects) {
        events += other.events
        notifications += other.notifications
    }

    static let properties = [
        Schema.required("events", .array("What happened, in order.", of: .string("An event."))),
        Schema.required(
            "notifications",
            .array(
                "What the developer's server is told of it, in order.",
                of: .string("A type, and its subtype behind a slash.", example: "SUBSCRIBED/INITIAL_BUY")
            )
        ),
    ]

    func write(to json: inout PayloadWriter) {
        json.put("events", events.map(\.name))
        json.put("notifications", notifications.map { Notice($0.type, $0.subtype).words })
    }
}

extension Event {
    /// The event's name, in the words of the control API.
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
    /// A transaction, what the device hands over, and what happened.
    static let purchaseSchema = Schema.object(
        "A transaction, what the customer's device hands over, and what happened.",
        transactionProperties + Effects.properties
    )

    /// The same for a purchase, which may have to wait.
    static let boughtSchema = Schema.object(
        "What came of a purchase: a transaction and what the device hands over, or a number while it waits.",
        transactionProperties.map { Schema.Property(name: $0.name, schema: $0.schema, isRequired: false) } + [
            Schema.optional("held", .integer("The number of the purchase that waits; then there is no transaction."))
        ] + Effects.properties
    )

    /// Tells a purchase from a change that waits for the next renewal.
    private static let resultProperty = Schema.optional(
        "result",
        .string(
            "After a purchase: what it led to. With a result that ends in Scheduled, and with changeWithdrawn, the "
                + "transaction is the one that runs; nothing was bought.",
            oneOf: PurchaseResult.allCases.map(\.rawValue)
        )
    )

    private static let transactionProperties = [
        resultProperty,
        Schema.required("customer", .string("Whose transaction it is.")),
        Schema.required("transactionId", .string("The transaction.")),
        Schema.required("originalTransactionId", .string("Its original.")),
        Schema.required("appTransactionId", .string("The customer's app transaction id.")),
        Schema.optional("webOrderLineItemId", .string("Only for auto-renewables.")),
        Schema.optional("orderId", .string("What the customer's receipt shows.")),
        Schema.required("productId", .string("What was bought.")),
        Schema.required("quantity", .integer("How many.")),
        Schema.optional("price", .integer("Thousandths for all of them; absent for a family member's copy.")),
        Schema.optional("currency", .string("ISO 4217.")),
        Schema.required("purchaseDate", .integer("Milliseconds since 1970.")),
        Schema.optional("expiresDate", .integer("Only for auto-renewables.")),
        Schema.optional("revocationDate", .integer("Only while it is refunded or no longer shared.")),
        Schema.optional(
            "revocationType",
            .string(
                "What revocationDate is the date of.",
                oneOf: [Revocation.Kind.refundFull, .refundProrated, .familyRevoke].map(\.rawValue)
            )
        ),
        Schema.optional("revocationPercentage", .integer("Of a refund: thousandths of a percent of the price.")),
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
                    Schema.optional("appReceipt", .string("Only when it is asked for: the app receipt, Base64.")),
                ]
            )
        ),
        Schema.optional("subscription", subscriptionSchema),
        Schema.optional("refundRequest", refundRequestSchema),
    ]

    /// Lets an account do what a body asks, at the instant that it names.
    func act(_ command: Command, by account: Account, _ exchange: ControlExchange) async throws -> Outcome {
        try await shop.perform(
            command,
            by: CustomerName(try exchange.scope(), account.customer),
            at: exchange.body.instant("at")
        )
    }

    /// The same for the transaction that the path names, which is answered as it then is.
    func act(onTransactionOf exchange: ControlExchange, _ command: (TransactionID) -> Command) async throws
        -> [UInt8]
    {
        let (row, account) = try await exchange.transaction()
        let outcome = try await act(command(row.id), by: account, exchange)
        return try json(outcome.ledger.rows[row.id] ?? row, outcome.account, device: UUID(), Effects(outcome))
    }

    /// A transaction with everything that a test of a backend wants of it.
    ///
    /// - Parameters:
    ///   - receipt: the device's app receipt, Base64, where it was asked for.
    ///   - result: what a purchase led to; nil when nothing was bought or changed.
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

    /// What came of a purchase that waits.
    func held(_ number: Int64, _ outcome: Outcome) -> [UInt8] {
        var json = PayloadWriter()
        json.put("result", PurchaseResult.held.rawValue)
        json.put("customer", outcome.account.customer)
        json.put("held", number)
        Effects(outcome).write(to: &json)
        return json.finish()
    }
}
