import TillSigning

/// A case of the attack pack: signed data, and what is wrong with it (docs/operating/attack-pack.md).
package enum Attack: Hashable, CaseIterable, Sendable {
    /// Valid data, to detect a verifier that rejects everything.
    case control
    /// The certificates, the signature or the header are wrong.
    case forged(Forgery)
    /// Correctly signed, for another app.
    case otherApp
    /// Correctly signed, for the other environment.
    case otherEnvironment
    /// Correctly signed, and sent twice.
    case replayed
    /// Correctly signed, with renewal info in place of the transaction.
    case renewalInfo

    /// The valid case first, the repeated one last.
    package static let allCases: [Attack] =
        [.control] + Forgery.allCases.map { .forged($0) } + [.otherApp, .otherEnvironment, .renewalInfo, .replayed]

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
        case .replayed: "replayed-notification"
        case .renewalInfo: "renewal-info-as-transaction"
        }
    }

    /// Whether a correct verifier rejects it.
    package var isRefused: Bool { self != .control && self != .replayed }

    /// One sentence on what is wrong.
    package var wrong: String {
        switch self {
        case .control: "Nothing is wrong."
        case .forged(let forgery): Self.wrong(forgery)
        case .otherApp: "Correctly signed, but bundleId is another app's."
        case .otherEnvironment: "Correctly signed, but environment is the other environment's."
        case .replayed: "Nothing is wrong, but the same notification is sent twice."
        case .renewalInfo: "Correctly signed, but renewal info is in place of the transaction."
        }
    }

    /// The error of a correct verifier, with the name in Apple's libraries if there is one.
    package var refusal: String {
        switch self {
        case .control: "none"
        case .forged(.chainOfTwo), .forged(.chainOfFour): "INVALID_CHAIN_LENGTH"
        case .forged: "VERIFICATION_FAILURE"
        case .otherApp, .renewalInfo: "INVALID_APP_IDENTIFIER"
        case .otherEnvironment: "INVALID_ENVIRONMENT"
        case .replayed: "none; accept it again, and do nothing for the second"
        }
    }

    private static func wrong(_ forgery: Forgery) -> String {
        switch forgery {
        case .wrongRoot: "The chain ends at another root of the same name."
        case .leafWithoutMarker: "The leaf lacks the marker extension 1.2.840.113635.100.6.11.1."
        case .intermediateWithoutMarker: "The intermediate lacks the marker extension 1.2.840.113635.100.6.2.1."
        case .chainOfTwo: "x5c has two certificates; the root is left out."
        case .chainOfFour: "x5c has four certificates; the root is included twice."
        case .expiredLeaf: "The leaf expired a day before the payload was signed."
        case .leafNotYetValid: "The leaf becomes valid a day after the payload was signed."
        case .tamperedPayload: "The payload was changed after it was signed."
        case .tamperedSignature: "One bit of the signature was changed."
        case .algorithmNone: "alg is none, and there is no signature."
        case .sharedSecret: "alg is HS256, with the leaf's public key (PEM) as the secret."
        }
    }
}

/// An attack on an app's environment, ready to send.
package struct AttackSample: Sendable {
    /// What is wrong.
    package let attack: Attack
    /// A notification, as it is posted in `{"signedPayload": …}`.
    package let signedPayload: String
    /// A transaction with the same flaw.
    package let signedTransactionInfo: String
}
