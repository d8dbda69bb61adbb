import TillCore
import TillSigning

/// A case of the attack pack: signed data with one defect, or valid data as a control (docs/operating/attack-pack.md).
package enum Attack: Hashable, CaseIterable, Sendable {
    /// Valid data, to detect a verifier that rejects everything.
    case control
    /// Forged data: the certificates, the signature or the header are wrong.
    case forged(Forgery)
    /// Correctly signed data of another app.
    case otherApp
    /// Correctly signed data of the other environment.
    case otherEnvironment
    /// A correctly signed notification that is sent twice.
    case replayed
    /// Correctly signed renewal info in place of the transaction.
    case renewalInfo

    /// All cases: `control` is first, `replayed` is last.
    package static let allCases: [Attack] =
        [.control] + Forgery.allCases.map { .forged($0) } + [.otherApp, .otherEnvironment, .renewalInfo, .replayed]

    /// The name of the case in commands and in answers of the control API.
    package var name: AttackCase {
        switch self {
        case .control: .control
        case .forged(let forgery): Self.details(of: forgery).name
        case .otherApp: .otherApp
        case .otherEnvironment: .otherEnvironment
        case .replayed: .replayed
        case .renewalInfo: .renewalInfo
        }
    }

    /// Whether a correct verifier rejects the data of this case.
    package var isRefused: Bool { self != .control && self != .replayed }

    /// A sentence that describes the defect.
    package var wrong: String {
        switch self {
        case .control: "Nothing is wrong."
        case .forged(let forgery): Self.details(of: forgery).wrong
        case .otherApp: "Correctly signed, but bundleId is another app's."
        case .otherEnvironment: "Correctly signed, but environment is the other environment's."
        case .replayed: "Nothing is wrong, but the same notification is sent twice."
        case .renewalInfo: "Correctly signed, but renewal info is in place of the transaction."
        }
    }

    /// The error that Apple's libraries report for this case; begins with `none` for data that they accept.
    package var refusal: String {
        switch self {
        case .control: "none"
        case .forged(.chainOfTwo), .forged(.chainOfFour): "INVALID_CHAIN_LENGTH"
        case .forged: "VERIFICATION_FAILURE"
        case .otherApp, .renewalInfo: "INVALID_APP_IDENTIFIER"
        case .otherEnvironment: "INVALID_ENVIRONMENT"
        case .replayed: "none; accept both notifications, but process only the first"
        }
    }

    /// The name of a forgery, and a sentence that describes it.
    private static func details(of forgery: Forgery) -> (name: AttackCase, wrong: String) {
        switch forgery {
        case .wrongRoot: (.wrongRoot, "The chain ends at a different root with the same name.")
        case .leafWithoutMarker: (.leafWithoutMarker, "The leaf lacks the marker extension 1.2.840.113635.100.6.11.1.")
        case .intermediateWithoutMarker:
            (.intermediateWithoutMarker, "The intermediate lacks the marker extension 1.2.840.113635.100.6.2.1.")
        case .chainOfTwo: (.chainOfTwo, "x5c has two certificates; the root is left out.")
        case .chainOfFour: (.chainOfFour, "x5c has four certificates; the root is included twice.")
        case .expiredLeaf: (.expiredLeaf, "The leaf expired a day before the payload was signed.")
        case .leafNotYetValid: (.leafNotYetValid, "The leaf becomes valid a day after the payload was signed.")
        case .tamperedPayload: (.tamperedPayload, "The payload was changed after it was signed.")
        case .tamperedSignature: (.tamperedSignature, "One bit of the signature was changed.")
        case .algorithmNone: (.algorithmNone, "alg is none, and there is no signature.")
        case .sharedSecret: (.sharedSecret, "alg is HS256, with the leaf's public key (PEM) as the secret.")
        }
    }
}

/// The signed data of one case, for one app and environment, ready to send.
package struct AttackSample: Sendable {
    /// The case.
    package let attack: Attack
    /// A signed notification: the value of `signedPayload` in the posted body.
    package let signedPayload: String
    /// A signed transaction with the same defect.
    package let signedTransactionInfo: String
}
