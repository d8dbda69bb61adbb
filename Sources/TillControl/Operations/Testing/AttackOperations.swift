/// Creates the attack pack: signed data with one flaw each, which a correct verifier refuses.
public struct ListAttacks: EnvironmentRequest {
    public typealias Answer = AttackList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/attacks",
        tag: .certificates
    )

    public var app: AppEnvironment
    /// The case to create; by default all cases.
    public var `case`: AttackCase?
    /// The id of the transaction in the data; by default an invented transaction.
    public var transactionId: String?

    public init(app: AppEnvironment, `case`: AttackCase? = nil, transactionId: String? = nil) {
        self.app = app
        self.`case` = `case`
        self.transactionId = transactionId
    }
}

/// Creates receipts with one flaw each, which a correct verifier must refuse.
public struct ListReceiptAttacks: EnvironmentRequest {
    public typealias Answer = ReceiptAttackList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/attacks/receipts",
        tag: .certificates
    )

    public var app: AppEnvironment
    /// The case to create; by default all cases.
    public var `case`: ReceiptAttackCase?
    /// The id of the transaction in the receipts; by default an invented transaction.
    public var transactionId: String?

    public init(app: AppEnvironment, `case`: ReceiptAttackCase? = nil, transactionId: String? = nil) {
        self.app = app
        self.`case` = `case`
        self.transactionId = transactionId
    }
}

/// The attack pack.
public struct AttackList: ControlObject {
    /// The cases, the valid case first.
    public var cases: [AttackInfo]

    public init(cases: [AttackInfo]) {
        self.cases = cases
    }
}

/// A case of the attack pack, signed for this request.
public struct AttackInfo: ControlObject {
    /// The name of the case.
    public var `case`: AttackCase
    /// The flaw, in one sentence.
    public var wrong: String
    /// Whether a correct verifier refuses the case; false for control and replayed-notification.
    public var mustBeRefused: Bool
    /// The verification status with which Apple's libraries refuse the case.
    public var refusal: String
    /// A signed notification with the flaw.
    public var signedPayload: String
    /// A signed transaction with the same flaw.
    public var signedTransactionInfo: String

    public init(
        `case`: AttackCase,
        wrong: String,
        mustBeRefused: Bool,
        refusal: String,
        signedPayload: String,
        signedTransactionInfo: String
    ) {
        self.`case` = `case`
        self.wrong = wrong
        self.mustBeRefused = mustBeRefused
        self.refusal = refusal
        self.signedPayload = signedPayload
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// The receipts of the attack pack.
public struct ReceiptAttackList: ControlObject {
    /// The cases, the valid case first.
    public var cases: [ReceiptAttackInfo]

    public init(cases: [ReceiptAttackInfo]) {
        self.cases = cases
    }
}

/// A receipt of the attack pack, signed for this request.
public struct ReceiptAttackInfo: ControlObject {
    public static let limits = [ControlLimit.format(CodingKeys.deviceId, "uuid")]

    /// The name of the case.
    public var `case`: ReceiptAttackCase
    /// The flaw, in one sentence.
    public var wrong: String
    /// False if the receipt is valid, or if only a check of the device finds the flaw.
    public var mustBeRefused: Bool
    /// The status that Till's verifyReceipt returns for the correct password.
    public var status: Int
    /// The value for receipt-data: Base64, one line.
    public var receipt: String
    /// The id of the device that sends the receipt.
    public var deviceId: String

    public init(
        `case`: ReceiptAttackCase,
        wrong: String,
        mustBeRefused: Bool,
        status: Int,
        receipt: String,
        deviceId: String
    ) {
        self.`case` = `case`
        self.wrong = wrong
        self.mustBeRefused = mustBeRefused
        self.status = status
        self.receipt = receipt
        self.deviceId = deviceId
    }
}
