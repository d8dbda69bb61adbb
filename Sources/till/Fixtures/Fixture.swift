import TillControl
import TillJSON
import TillShop
import TillVerification

/// A file of the fixtures, as `manifest.json` lists it.
struct Fixture: Encodable {
    /// What a file contains.
    enum Kind: String, Encodable, CaseIterable {
        /// A JWS: the value of `signedPayload` in the body of a notification.
        case notification
        /// A JWS: `signedTransactionInfo`.
        case transaction
        /// A JWS: `signedRenewalInfo`.
        case renewalInfo
        /// A JWS: `signedAppTransactionInfo`.
        case appTransaction
        /// A receipt in Base64: the value of `receipt-data`.
        case receipt
        /// JSON: the request to verifyReceipt, and its answer.
        case verifyReceipt
        /// The body of an error of the App Store Server API.
        case apiError

        /// The folder of the files of this kind.
        var folder: String {
            switch self {
            case .notification: "notifications"
            case .transaction: "transactions"
            case .renewalInfo: "renewal-info"
            case .appTransaction: "app-transactions"
            case .receipt: "receipts"
            case .verifyReceipt: "verify-receipt"
            case .apiError: "errors"
            }
        }

        /// The extension of the files of this kind.
        var suffix: String {
            switch self {
            case .notification, .transaction, .renewalInfo, .appTransaction: "jws"
            case .receipt: "base64"
            case .verifyReceipt, .apiError: "json"
            }
        }
    }

    /// The path in the folder of the fixtures.
    let file: String
    let kind: Kind
    /// `Sandbox` or `Production`, as in signed data.
    let environment: String
    let bundleId: String
    let appAppleId: Int64
    /// What the file shows, in one sentence.
    let shows: String
    /// Whether Apple's verifier accepts the signed data; for a receipt, whether verifyReceipt answers 0.
    var isAccepted: Bool?
    /// The verification status with which Apple's libraries refuse the signed data.
    var refusal: String?
    /// The case of the attack pack.
    var attack: AttackCase?
    var notificationType: String?
    var subtype: String?
    /// Whether the notification was sent on request. No event causes it.
    var isTriggered: Bool?
    /// The date at which verifiers without online checks check the certificates: the date of the signature.
    var verifyAt: Timestamp?
    /// The status of verifyReceipt, or the HTTP status of an error.
    var status: Int?
    /// The value of `errorCode`.
    var errorCode: Int?
    /// The header `Retry-After` of an error.
    var retryAfter: String?

    /// Completes the entry of a JWS with what its payload says. The signature is not verified.
    mutating func complete(with jws: String) {
        let segments = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard
            segments.count == 3, let payload = Base64URL.decode(String(segments[1])),
            let claims = try? JSONTree.parse(payload).decode(Claims.self)
        else { return }
        verifyAt = claims.signedDate ?? claims.receiptCreationDate
        (notificationType, subtype) = (claims.notificationType, claims.subtype)
    }

    /// What the entry of a JWS has from its payload.
    private struct Claims: Decodable {
        let signedDate: Timestamp?
        /// The date of the signature in an app transaction.
        let receiptCreationDate: Timestamp?
        let notificationType: String?
        let subtype: String?
    }
}

/// The files of the fixtures, with their contents.
struct FixtureSet {
    private(set) var fixtures: [Fixture] = []
    private(set) var contents: [String: [UInt8]] = [:]

    /// Adds a file.
    ///
    /// - Throws: `CommandRefused` if there is another file with this name.
    mutating func add(_ fixture: Fixture, _ content: [UInt8]) throws {
        guard contents.updateValue(content, forKey: fixture.file) == nil else {
            throw CommandRefused("Two fixtures have the name \(fixture.file).")
        }
        fixtures.append(fixture)
    }
}
