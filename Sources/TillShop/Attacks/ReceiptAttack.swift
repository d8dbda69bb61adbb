import TillCore
import TillSigning

/// A receipt of the attack pack, and what is wrong with it (docs/operating/attack-pack.md).
package enum ReceiptAttack: Hashable, CaseIterable, Sendable {
    /// A valid receipt, to detect a verifier that rejects everything.
    case control
    /// The certificates, the signature or the bytes are wrong.
    case forged(ReceiptForgery)
    /// Correctly signed, for another app.
    case otherApp
    /// Correctly signed, for the other environment.
    case otherEnvironment
    /// Correctly signed, with the hash of another device.
    case otherDevice
    /// Correctly signed, with the hash of another app on the device.
    case otherAppsHash
    /// A valid receipt of a single transaction.
    case transactionControl
    /// A wrong receipt of a single transaction.
    case forgedTransaction(TransactionReceiptForgery)

    /// The valid receipt first.
    package static let allCases: [ReceiptAttack] =
        [.control] + ReceiptForgery.allCases.map { .forged($0) }
        + [.otherApp, .otherEnvironment, .otherDevice, .otherAppsHash, .transactionControl]
        + TransactionReceiptForgery.allCases.map { .forgedTransaction($0) }

    /// The case with a name; nil if there is none.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The name in commands and answers.
    package var name: String {
        switch self {
        case .control: "control"
        case .forged(let forgery): forgery.rawValue
        case .otherApp: "other-app"
        case .otherEnvironment: "other-realm"
        case .otherDevice: "other-device"
        case .otherAppsHash: "other-apps-hash"
        case .transactionControl: "transaction-control"
        case .forgedTransaction(let forgery): forgery.rawValue
        }
    }

    /// Whether every correct verifier rejects it. A verifier that does not know the device cannot check the hash.
    package var isRefused: Bool {
        switch self {
        case .forged, .forgedTransaction, .otherApp, .otherEnvironment: true
        case .control, .transactionControl, .otherDevice, .otherAppsHash: false
        }
    }

    /// The status of Till's verifyReceipt in an environment, with the right password.
    ///
    /// - Parameter isKnown: whether the receipt is about a purchase that exists.
    package func status(in environment: StoreEnvironment, isKnown: Bool) -> Int {
        switch self {
        case .forged(let forgery): forgery.isMalformed ? 21_002 : 21_003
        case .forgedTransaction: 21_003
        case .otherApp: 21_010
        case .otherEnvironment: environment == .production ? 21_007 : 21_008
        case .control, .transactionControl, .otherDevice, .otherAppsHash: isKnown ? 0 : 21_010
        }
    }

    /// One sentence on what is wrong.
    package var wrong: String {
        switch self {
        case .control, .transactionControl: "Nothing is wrong."
        case .forged(let forgery): Self.wrong(forgery)
        case .otherApp: "Correctly signed, but the bundle id is another app's."
        case .otherEnvironment: "Correctly signed, but in the other environment."
        case .otherDevice: "Correctly signed, but its hash is another device's; only a device check can detect it."
        case .otherAppsHash: "Correctly signed, but its hash is another app's; only a device check can detect it."
        case .forgedTransaction(let forgery): Self.wrong(forgery)
        }
    }

    private static func wrong(_ forgery: ReceiptForgery) -> String {
        switch forgery {
        case .wrongRoot: "The chain ends at another root of the same name."
        case .leafWithoutMarker: "The leaf lacks the marker extension 1.2.840.113635.100.6.11.1."
        case .intermediateWithoutMarker: "The intermediate lacks the marker extension 1.2.840.113635.100.6.2.1."
        case .expiredLeaf: "The leaf expired a day before the receipt was made."
        case .leafNotYetValid: "The leaf becomes valid a day after the receipt was made."
        case .tamperedPayload: "The payload was changed after it was signed."
        case .tamperedSignature: "One bit of the signature was changed."
        case .truncated: "The last sixteen bytes are missing."
        case .trailingBytes: "Two extra bytes follow at the end."
        }
    }

    private static func wrong(_ forgery: TransactionReceiptForgery) -> String {
        switch forgery {
        case .wrongSigner: "A certificate of the same name under another root signed it."
        case .tamperedPurchase: "The purchase was changed after it was signed."
        case .tamperedSignature: "One bit of the signature was changed."
        }
    }
}

/// A receipt of the attack pack, ready to send.
package struct ReceiptAttackSample: Sendable {
    /// What is wrong.
    package let attack: ReceiptAttack
    /// Base64, as it is sent in `receipt-data`.
    package let receipt: String
    /// The device of the valid receipts' hash.
    package let deviceID: String
    /// The status of Till's verifyReceipt, with the right password.
    package let status: Int
}
