import TillCore
import TillSigning

/// A receipt of the attack pack, and what is wrong with it (docs/operating/attack-pack.md).
package enum ReceiptAttack: Hashable, CaseIterable, Sendable {
    /// Nothing is wrong: whoever refuses this refuses everything.
    case control
    /// The certificates, the signature or the bytes are wrong.
    case forged(ReceiptForgery)
    /// Rightly signed, for another app.
    case otherApp
    /// Rightly signed, in the other environment.
    case otherEnvironment
    /// Rightly signed, with the hash of another device.
    case otherDevice
    /// Rightly signed, with the hash that another app has on the device.
    case otherAppsHash
    /// The receipt of a single transaction with which nothing is wrong.
    case transactionControl
    /// The receipt of a single transaction that is wrong.
    case forgedTransaction(TransactionReceiptForgery)

    /// The right one first.
    package static let allCases: [ReceiptAttack] =
        [.control] + ReceiptForgery.allCases.map { .forged($0) }
        + [.otherApp, .otherEnvironment, .otherDevice, .otherAppsHash, .transactionControl]
        + TransactionReceiptForgery.allCases.map { .forgedTransaction($0) }

    /// The case by the name that operators use; nil when there is none.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The name that operators use.
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

    /// Whether every right verifier refuses it. Who does not know the device cannot tell whose hash it is.
    package var isRefused: Bool {
        switch self {
        case .forged, .forgedTransaction, .otherApp, .otherEnvironment: true
        case .control, .transactionControl, .otherDevice, .otherAppsHash: false
        }
    }

    /// What Till's verifyReceipt answers in an environment, asked with the right password.
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
        case .otherApp: "Rightly signed, but the bundle id is another app's."
        case .otherEnvironment: "Rightly signed, but it was made in the other environment."
        case .otherDevice: "Rightly signed, but its hash is another device's; only who knows the device can tell."
        case .otherAppsHash: "Rightly signed, but its hash is another app's; only who knows the device can tell."
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
        case .trailingBytes: "Two bytes follow on the end."
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

/// A receipt of the attack pack, ready to be sent.
package struct ReceiptAttackSample: Sendable {
    /// What is wrong.
    package let attack: ReceiptAttack
    /// Base64, as it is sent in `receipt-data`.
    package let receipt: String
    /// The device that sends it; the hash of the right receipts is made for it.
    package let deviceID: String
    /// What Till's verifyReceipt answers, asked with the right password.
    package let status: Int
}
