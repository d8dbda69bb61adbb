import Foundation
import TillCore
import TillSigning

/// What a purchase shows to be let have an offer that needs the app's word for it (docs/api/offers.md).
package enum OfferProof: Sendable {
    /// The older form of a promotional offer: values and a signature over them.
    case promotional(
        offerID: String,
        keyID: String,
        nonce: String,
        timestamp: Int64,
        applicationUsername: String,
        signature: String
    )
    /// The newer form: a compact JWS.
    case promotionalJWS(offerID: String, token: String)
    /// Eligibility for an introductory offer: a compact JWS.
    case introductoryJWS(String)
}

/// Why the app's word was not taken.
package struct OfferProofRefused: Error, CustomStringConvertible {
    /// Whole sentences that control shows to the caller.
    package let explanation: String

    /// A refusal with its reason.
    package init(explanation: String) {
        self.explanation = explanation
    }

    package var description: String { explanation }
}

extension Shop {
    /// Checks the app's signature and says which offer it lets the purchase have, and by which nonce.
    ///
    /// - Throws: `OfferProofRefused`, which explains.
    package func choice(by proof: OfferProof, productID: String, app bundleID: String) throws -> (
        OfferChoice, nonce: String
    ) {
        guard let app = registry.app(bundleID) else {
            throw OfferProofRefused(explanation: "There is no app \(bundleID).")
        }
        do {
            switch proof {
            case .promotional(let offerID, let keyID, let nonce, let timestamp, let username, let signature):
                let signed = PromotionalOfferSignature(
                    bundleID: bundleID,
                    keyID: keyID,
                    productID: productID,
                    offerID: offerID,
                    applicationUsername: username,
                    nonce: nonce,
                    timestamp: timestamp
                )
                try signed.verify(signature, key: try offerKey(keyID, app), now: wallClock().milliseconds)
                return (.promotional(offerID), nonce.lowercased())
            case .promotionalJWS(let offerID, let token):
                let request = try StoreRequestToken(token)
                let grant = try request.promotionalOffer(try expectation(request.keyID, app))
                try grant.check(productID: productID, offerID: offerID)
                return (.promotional(offerID), grant.nonce.lowercased())
            case .introductoryJWS(let token):
                let request = try StoreRequestToken(token)
                let grant = try request.introductoryOffer(try expectation(request.keyID, app))
                try grant.check(productID: productID)
                return (grant.isAllowed ? .introductory(evenIfUsed: true) : .none, grant.nonce.lowercased())
            }
        } catch let refusal as OfferSignatureRefusal {
            throw OfferProofRefused(explanation: refusal.explanation)
        }
    }

    private func expectation(_ keyID: String, _ app: AppRecord) throws -> StoreRequestToken.Expectation {
        StoreRequestToken.Expectation(
            key: try offerKey(keyID, app),
            issuer: app.issuerID,
            bundleID: app.bundleID,
            now: Double(wallClock().milliseconds) / 1_000
        )
    }

    private func offerKey(_ keyID: String, _ app: AppRecord) throws -> VerificationKey {
        let good = registry.keys
            .filter {
                $0.issuerID == app.issuerID && $0.revokedAt == nil && ($0.offersOf ?? app.bundleID) == app.bundleID
            }
            .map(\.id)
        guard let (record, key) = registry.key(keyID), good.contains(record.id) else {
            throw OfferProofRefused(
                explanation: "Key \(keyID.prefix(64)) may not sign offers of \(app.bundleID). Keys that may: "
                    + (good.isEmpty ? "none; make one with till key create." : good.joined(separator: ", ") + ".")
            )
        }
        return key
    }
}
