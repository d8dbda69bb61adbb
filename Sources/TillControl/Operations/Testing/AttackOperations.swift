/// Creates the attack pack: signed data or receipts with one flaw each, which a correct verifier refuses.
public struct ListAttacks: EnvironmentRequest {
    public typealias Answer = [AttackInfo]
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/attacks",
        tag: .testing
    )

    public var app: AppEnvironment
    /// Whether to create receipts instead of notifications and transactions.
    public var receipts: Bool?
    /// The case to create; by default all cases, the valid case first.
    public var `case`: AttackCase?
    /// The id of the transaction in the data; by default an invented transaction.
    public var transactionId: String?

    public init(app: AppEnvironment, receipts: Bool? = nil, `case`: AttackCase? = nil, transactionId: String? = nil) {
        self.app = app
        self.receipts = receipts
        self.`case` = `case`
        self.transactionId = transactionId
    }
}

/// A case of the attack pack, signed for this request.
public struct AttackInfo: ControlObject {
    public static let limits = [ControlLimit.format(CodingKeys.deviceId, "uuid")]

    /// The name of the case.
    public var `case`: AttackCase
    /// The flaw, in one sentence.
    public var wrong: String
    /// Whether a correct verifier refuses the case; false for valid data, and for a flaw that only a check of the
    /// device finds.
    public var mustBeRefused: Bool
    /// Only for signed data: the verification status with which Apple's libraries refuse the case.
    public var refusal: String?
    /// Only for signed data: a signed notification with the flaw.
    public var signedPayload: String?
    /// Only for signed data: a signed transaction with the same flaw.
    public var signedTransactionInfo: String?
    /// Only for a receipt: the status that Till's verifyReceipt returns for the correct password.
    public var status: Int?
    /// Only for a receipt: the value for receipt-data, Base64 in one line.
    public var receipt: String?
    /// Only for a receipt: the id of the device that sends the receipt.
    public var deviceId: String?

    public init(
        `case`: AttackCase,
        wrong: String,
        mustBeRefused: Bool,
        refusal: String? = nil,
        signedPayload: String? = nil,
        signedTransactionInfo: String? = nil,
        status: Int? = nil,
        receipt: String? = nil,
        deviceId: String? = nil
    ) {
        self.`case` = `case`
        self.wrong = wrong
        self.mustBeRefused = mustBeRefused
        self.refusal = refusal
        self.signedPayload = signedPayload
        self.signedTransactionInfo = signedTransactionInfo
        self.status = status
        self.receipt = receipt
        self.deviceId = deviceId
    }
}
