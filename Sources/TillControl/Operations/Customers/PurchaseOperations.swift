/// Makes a purchase. Creates the customer if necessary. Answers 200 for an owned non-consumable.
public struct BuyProduct: CustomerRequest, CreatingRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = PurchaseInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/purchases",
        tag: .purchases,
        status: 201,
        unchanged: 200
    )
    public static let limits: [ControlLimit] = [
        .range(CodingKeys.quantity, 1...10), .range(CodingKeys.price, 0...1_000_000_000_000),
        .example(CodingKeys.currency, "EUR"), .format(CodingKeys.appAccountToken, "uuid"),
        .format(CodingKeys.deviceId, "uuid"),
    ]

    public var app: AppEnvironment
    public var customer: String
    /// The product identifier.
    public var productId: String
    /// The quantity: 1 to 10 for consumables, otherwise 1.
    public var quantity: Int?
    /// The storefront, an Alpha-3 code; the customer's storefront by default.
    public var storefront: Storefront?
    /// The price of one unit in milliunits, instead of the catalog's price.
    public var price: Int64?
    /// The currency of price, as an ISO 4217 code.
    public var currency: String?
    /// The app account token, a UUID.
    public var appAccountToken: String?
    /// The offer. By default, the introductory offer applies if the customer is eligible.
    public var offer: OfferToApply?
    /// The billing plan: the year is billed upfront, or in monthly payments with a commitment.
    public var billingPlan: BillingPlanType?
    /// The customer's order to which the purchase is added.
    public var orderId: String?
    /// Whether the app finishes the transaction at once.
    public var finished: Bool?
    /// Whether the purchase is interrupted and stays pending until the customer completes it.
    public var interrupted: Bool?
    /// The device id of the purchase, a UUID; a new one by default.
    public var deviceId: String?
    public var clock: String?
    public var newClock: Timestamp?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        customer: String,
        productId: String,
        quantity: Int? = nil,
        storefront: Storefront? = nil,
        price: Int64? = nil,
        currency: String? = nil,
        appAccountToken: String? = nil,
        offer: OfferToApply? = nil,
        billingPlan: BillingPlanType? = nil,
        orderId: String? = nil,
        finished: Bool? = nil,
        interrupted: Bool? = nil,
        deviceId: String? = nil,
        clock: String? = nil,
        newClock: Timestamp? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.customer = customer
        self.productId = productId
        self.quantity = quantity
        self.storefront = storefront
        self.price = price
        self.currency = currency
        self.appAccountToken = appAccountToken
        self.offer = offer
        self.billingPlan = billingPlan
        self.orderId = orderId
        self.finished = finished
        self.interrupted = interrupted
        self.deviceId = deviceId
        self.clock = clock
        self.newClock = newClock
        self.at = at
        self.include = include
    }
}

/// An offer for a purchase.
public struct OfferToApply: ControlObject {
    /// The kind of offer.
    public var kind: OfferKindToApply
    /// The offer identifier; not for `INTRODUCTORY`.
    public var id: String?
    /// The JWS with which the app's server signs the offer.
    public var token: String?
    /// The older signature of a promotional offer: the key id.
    public var keyId: String?
    /// The older signature: the nonce, a UUID.
    public var nonce: String?
    /// The older signature: its time, in milliseconds since 1970.
    public var timestamp: Int64?
    /// The older signature: the application username, if it was signed.
    public var applicationUsername: String?
    /// The older signature: the DER signature in Base64.
    public var signature: String?

    public init(
        kind: OfferKindToApply,
        id: String? = nil,
        token: String? = nil,
        keyId: String? = nil,
        nonce: String? = nil,
        timestamp: Int64? = nil,
        applicationUsername: String? = nil,
        signature: String? = nil
    ) {
        self.kind = kind
        self.id = id
        self.token = token
        self.keyId = keyId
        self.nonce = nonce
        self.timestamp = timestamp
        self.applicationUsername = applicationUsername
        self.signature = signature
    }
}

/// The kind of an offer for a purchase.
public enum OfferKindToApply: String, Codable, CaseIterable, Sendable {
    /// No offer, not even the introductory one.
    case none = "NONE"
    /// The introductory offer of the product.
    case introductory = "INTRODUCTORY"
    /// A promotional offer, which the app's server signs.
    case promotional = "PROMOTIONAL"
    /// An offer code.
    case code = "CODE"
    /// A win-back offer.
    case winBack = "WIN_BACK"
}

/// Shows a transaction, signed now, with the data that the device gives to the app.
public struct GetTransaction: TransactionRequest, IncludingRequest {
    public typealias Answer = TransactionInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var transactionId: String
    /// The device id, a UUID; a new one by default.
    public var deviceId: String?
    public var include: [TransactionPart]?

    public init(
        app: AppEnvironment,
        transactionId: String,
        deviceId: String? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.transactionId = transactionId
        self.deviceId = deviceId
        self.include = include
    }
}

/// Finishes a transaction, as the app does on the customer's device.
public struct FinishTransaction: TransactionRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/finish",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var transactionId: String
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(app: AppEnvironment, transactionId: String, include: [TransactionPart]? = nil) {
        self.app = app
        self.transactionId = transactionId
        self.include = include
    }
}
