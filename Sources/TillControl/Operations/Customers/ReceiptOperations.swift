/// Shows the current app receipt of a customer's device, or the receipt of one transaction in the format of iOS 6.
public struct GetReceipt: CustomerRequest {
    public typealias Answer = ReceiptInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/receipt",
        tag: .purchases
    )
    public static let limits = [ControlLimit.format(CodingKeys.deviceId, "uuid")]

    public var app: AppEnvironment
    public var customer: String
    /// The id of the customer's transaction whose receipt is shown; by default, the app receipt is shown.
    public var transactionId: String?
    /// The device id, a UUID; by default the customer's fixed device.
    public var deviceId: String?

    public init(app: AppEnvironment, customer: String, transactionId: String? = nil, deviceId: String? = nil) {
        self.app = app
        self.customer = customer
        self.transactionId = transactionId
        self.deviceId = deviceId
    }
}

/// A receipt.
public struct ReceiptInfo: ControlObject {
    /// The value for receipt-data: Base64, one line.
    public var receipt: String

    public init(receipt: String) {
        self.receipt = receipt
    }
}
