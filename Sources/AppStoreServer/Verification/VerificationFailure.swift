import TillVerification

/// Why signed data was not accepted.
public struct VerificationFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: String, CaseIterable, Sendable {
        /// The text is not a compact JWS, is too long, or its payload lacks a key that every server sends.
        case malformed
        /// The algorithm is not ES256.
        case algorithm
        /// The header does not have exactly three certificates.
        case chainLength
        /// The leaf or the intermediate cannot be read as a certificate.
        case certificate
        /// The certificates do not lead to a trusted root, were not valid at the date that counts, or lack the App
        /// Store's markers.
        case chain
        /// The text was changed after signing, or signed with another key.
        case signature
        /// The data is about another app.
        case app
        /// The data is about another environment.
        case environment
        /// A certificate was revoked, or the OCSP responder does not confirm that it is valid.
        case revoked
        /// The OCSP responder did not answer.
        case revocationUnknown
    }

    /// The kinds of signed data.
    public enum Subject: String, CaseIterable, Sendable {
        /// A transaction.
        case transaction
        /// Renewal information.
        case renewalInfo = "renewal information"
        /// An app transaction.
        case appTransaction = "app transaction"
        /// A notification.
        case notification
    }

    /// The kind of failure.
    public let reason: Reason
    /// The data that was not accepted. In a notification, it may be the notification or the data in it.
    public let subject: Subject
    /// A sentence about what is wrong. It may quote the data.
    public let message: String

    init(_ reason: Reason, _ subject: Subject, _ message: String) {
        (self.reason, self.subject, self.message) = (reason, subject, message)
    }

    init(_ refusal: ChainRefusal, _ subject: Subject) {
        let reason: Reason =
            switch refusal {
            case .count: .chainLength
            case .unreadable: .certificate
            case .untrusted: .chain
            case .revoked: .revoked
            case .revocationUnknown: .revocationUnknown
            }
        self.init(reason, subject, refusal.explanation)
    }

    /// Whether the same data may be accepted later.
    public var canRetry: Bool { reason == .revocationUnknown }

    /// The subject and the message.
    public var description: String { "\(subject.rawValue): \(message)" }
}
