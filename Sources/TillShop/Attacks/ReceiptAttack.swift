import TillCore
import TillSigning

/// A receipt case of the attack pack: a receipt with one defect, or a valid receipt as a control
/// (docs/operating/attack-pack.md).
package enum ReceiptAttack: Hashable, CaseIterable, Sendable {
    /// A valid receipt, to detect a verifier that rejects everything.
    case control
    /// A forged receipt: the certificates, the signature or the bytes are wrong.
    case forged(ReceiptForgery)
    /// A correctly signed receipt of another app.
    case otherApp
    /// A correctly signed receipt of the other environment.
    case otherEnvironment
    /// A correctly signed receipt with the hash of another device.
    case otherDevice
    /// A correctly signed receipt with the hash of another app on the same device.
    case otherAppsHash
    /// A valid receipt of a single transaction.
    case transactionControl
    /// A forged receipt of a single transaction.
    case forgedTransaction(TransactionReceiptForgery)

    /// All cases; `control` is first.
    package static let allCases: [ReceiptAttack] =
        [.control] + ReceiptForgery.allCases.map { .forged($0) }
        + [.otherApp, .otherEnvironment, .otherDevice, .otherAppsHash, .transactionControl]
        + TransactionReceiptForgery.allCases.map { .forgedTransaction($0) }

    /// The name of the case in commands and in answers of the control API.
    package var name: AttackCase {
        switch self {
        case .control: .control
        case .forged(let forgery): Self.details(of: forgery).name
        case .otherApp: .otherApp
        case .otherEnvironment: .otherEnvironment
        case .otherDevice: .otherDevice
        case .otherAppsHash: .otherAppsHash
        case .transactionControl: .transactionControl
        case .forgedTransaction(.wrongSigner): .transactionWrongSigner
        case .forgedTransaction(.tamperedPurchase): .transactionTamperedPurchase
        case .forgedTransaction(.tamperedSignature): .transactionTamperedSignature
        }
    }

    /// Whether every correct verifier rejects the receipt. False for a wrong hash, because a verifier that does not
    /// know the device cannot check the hash.
    package var isRefused: Bool {
        switch self {
        case .forged, .forgedTransaction, .otherApp, .otherEnvironment: true
        case .control, .transactionControl, .otherDevice, .otherAppsHash: false
        }
    }

    /// The status that Till's verifyReceipt returns in an environment, if the password is correct.
    ///
    /// - Parameter isKnown: whether the purchase in the receipt is in the ledger.
    package func status(in environment: StoreEnvironment, isKnown: Bool) -> Int {
        switch self {
        case .forged(let forgery): forgery.isMalformed ? 21_002 : 21_003
        case .forgedTransaction: 21_003
        case .otherApp: 21_010
        case .otherEnvironment: environment == .production ? 21_007 : 21_008
        case .control, .transactionControl, .otherDevice, .otherAppsHash: isKnown ? 0 : 21_010
        }
    }

    /// A sentence that describes the defect.
    package var wrong: String {
        switch self {
        case .control, .transactionControl: "Nothing is wrong."
        case .forged(let forgery): Self.details(of: forgery).wrong
        case .otherApp: "Correctly signed, but the bundle id is another app's."
        case .otherEnvironment: "Correctly signed, but in the other environment."
        case .otherDevice: "Correctly signed, but its hash is another device's; only a device check can detect it."
        case .otherAppsHash: "Correctly signed, but its hash is another app's; only a device check can detect it."
        case .forgedTransaction(let forgery): Self.wrong(forgery)
        }
    }

    /// The name of a forgery, and a sentence that describes it.
    private static func details(of forgery: ReceiptForgery) -> (name: AttackCase, wrong: String) {
        switch forgery {
        case .wrongRoot: (.wrongRoot, "The chain ends at a different root with the same name.")
        case .leafWithoutMarker: (.leafWithoutMarker, "The leaf lacks the marker extension 1.2.840.113635.100.6.11.1.")
        case .intermediateWithoutMarker:
            (.intermediateWithoutMarker, "The intermediate lacks the marker extension 1.2.840.113635.100.6.2.1.")
        case .expiredLeaf: (.expiredLeaf, "The leaf expired a day before the receipt was created.")
        case .leafNotYetValid: (.leafNotYetValid, "The leaf becomes valid a day after the receipt was created.")
        case .tamperedPayload: (.tamperedPayload, "The payload was changed after it was signed.")
        case .tamperedSignature: (.tamperedSignature, "One bit of the signature was changed.")
        case .truncated: (.truncated, "The last sixteen bytes are missing.")
        case .trailingBytes: (.trailingBytes, "Two extra bytes follow at the end.")
        }
    }

    private static func wrong(_ forgery: TransactionReceiptForgery) -> String {
        switch forgery {
        case .wrongSigner: "The certificate that signed the receipt has the right name, but a different root."
        case .tamperedPurchase: "The purchase was changed after it was signed."
        case .tamperedSignature: "One bit of the signature was changed."
        }
    }
}

/// A receipt of the attack pack, ready to send.
package struct ReceiptAttackSample: Sendable {
    /// The case.
    package let attack: ReceiptAttack
    /// The receipt in Base64: the value of `receipt-data`.
    package let receipt: String
    /// The identifier of the device to which the hash in the valid receipts belongs.
    package let deviceID: String
    /// The status that Till's verifyReceipt returns, if the password is correct.
    package let status: Int
}
