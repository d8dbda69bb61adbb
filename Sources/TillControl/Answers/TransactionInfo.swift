/// A part of a transaction that must be signed, so that an answer contains it only if the request asks for it.
public enum TransactionPart: String, Codable, CaseIterable, Sendable {
    /// `signedTransactionInfo` and `signedRenewalInfo`, as the App Store Server API returns them.
    case signed
    /// `device`: the data that StoreKit gives to the app on the customer's device.
    case device
    /// `device` with the app receipt.
    case receipt
}

/// A transaction. Its signed parts are present only if the request asks for them with `include`.
public struct TransactionInfo: ControlObject {
    /// The customer who owns the transaction.
    public var customer: String
    /// The transaction id.
    public var transactionId: String
    /// The original transaction id.
    public var originalTransactionId: String
    /// The customer's app transaction id.
    public var appTransactionId: String
    /// The id of the subscription period; only for auto-renewables.
    public var webOrderLineItemId: String?
    /// The order id on the customer's invoice.
    public var orderId: String?
    /// The product identifier.
    public var productId: String
    /// The quantity.
    public var quantity: Int
    /// The total price in milliunits; absent for a family member's copy.
    public var price: Int64?
    /// The currency of the price, as an ISO 4217 code.
    public var currency: String?
    /// The purchase date, in milliseconds since 1970.
    public var purchaseDate: Timestamp
    /// The end of the period, in milliseconds since 1970; only for auto-renewables.
    public var expiresDate: Timestamp?
    /// The date of the refund, or of the end of sharing; absent while not revoked.
    public var revocationDate: Timestamp?
    /// The type of the revocation.
    public var revocationType: RevocationType?
    /// The refunded percentage of the price, in milliunits.
    public var revocationPercentage: Int?
    /// The signed transaction, as the App Store Server API returns it; only with `include=signed`.
    public var signedTransactionInfo: String?
    /// The signed renewal info; only for auto-renewables, and only with `include=signed`.
    public var signedRenewalInfo: String?
    /// The data that StoreKit gives to the app on the customer's device; only with `include=device` or
    /// `include=receipt`.
    public var device: DeviceData?
    /// The subscription to which the transaction belongs; only for auto-renewables.
    public var subscription: SubscriptionInfo?
    /// The undecided refund request for the transaction.
    public var refundRequest: RefundRequestInfo?
    /// The actions that are possible now on the transaction; `subscription` has those on the subscription.
    public var availableActions: [CustomerAction]

    public init(
        customer: String,
        transactionId: String,
        originalTransactionId: String,
        appTransactionId: String,
        webOrderLineItemId: String? = nil,
        orderId: String? = nil,
        productId: String,
        quantity: Int,
        price: Int64? = nil,
        currency: String? = nil,
        purchaseDate: Timestamp,
        expiresDate: Timestamp? = nil,
        revocationDate: Timestamp? = nil,
        revocationType: RevocationType? = nil,
        revocationPercentage: Int? = nil,
        signedTransactionInfo: String? = nil,
        signedRenewalInfo: String? = nil,
        device: DeviceData? = nil,
        subscription: SubscriptionInfo? = nil,
        refundRequest: RefundRequestInfo? = nil,
        availableActions: [CustomerAction]
    ) {
        self.customer = customer
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.orderId = orderId
        self.productId = productId
        self.quantity = quantity
        self.price = price
        self.currency = currency
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.revocationDate = revocationDate
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
        self.device = device
        self.subscription = subscription
        self.refundRequest = refundRequest
        self.availableActions = availableActions
    }
}

/// The data that StoreKit gives to the app on the customer's device.
public struct DeviceData: ControlObject {
    /// The device id of the request, or a new device id.
    public var deviceId: String
    /// The signed transaction, with deviceVerification and its nonce.
    public var signedTransactionInfo: String
    /// The signed app transaction; absent if the customer has none.
    public var signedAppTransactionInfo: String?
    /// The app receipt in Base64; only with `include=receipt`.
    public var appReceipt: String?

    public init(
        deviceId: String,
        signedTransactionInfo: String,
        signedAppTransactionInfo: String? = nil,
        appReceipt: String? = nil
    ) {
        self.deviceId = deviceId
        self.signedTransactionInfo = signedTransactionInfo
        self.signedAppTransactionInfo = signedAppTransactionInfo
        self.appReceipt = appReceipt
    }
}
