import Foundation
import TillCore
import TillSigning
import TillStorage

/// A signature with which the app's server grants an offer (docs/api/offers.md).
package enum OfferProof: Sendable {
    /// The older form for a promotional offer: single values, and a signature of these values.
    case promotional(
        offerID: String,
        keyID: String,
        nonce: String,
        timestamp: Int64,
        applicationUsername: String,
        signature: String
    )
    /// The newer form for a promotional offer: a compact JWS.
    case promotionalJWS(offerID: String, token: String)
    /// A compact JWS that grants or denies eligibility for an introductory offer.
    case introductoryJWS(String)
}

/// The reason why a proof was rejected.
package struct OfferProofRefused: Error, CustomStringConvertible {
    /// The error message of the control API, in whole sentences.
    package let explanation: String

    /// Creates a refusal with its reason.
    package init(explanation: String) {
        self.explanation = explanation
    }

    package var description: String { explanation }
}

/// An offer that the app's server granted to a customer.
package struct GrantedOffer: Sendable {
    /// The offer that the purchase uses.
    package let choice: OfferChoice
    /// The nonce of the proof. It is valid for one purchase.
    package let nonce: String
    /// The application username in a proof of the older form. The purchase must have the same app account token.
    package let username: String?
}

extension Shop {
    /// Verifies the app's signature and returns the offer that it grants to a customer's purchase.
    ///
    /// - Throws: `OfferProofRefused` with the reason.
    package func offer(
        grantedBy proof: OfferProof,
        productID: String,
        to customer: CustomerName
    ) async throws -> GrantedOffer {
        guard let app = registry.app(customer.scope.app) else {
            throw OfferProofRefused(explanation: "There is no app \(customer.scope.app).")
        }
        do {
            switch proof {
            case .promotional(let offerID, let keyID, let nonce, let timestamp, let username, let signature):
                let signed = PromotionalOfferSignature(
                    bundleID: app.bundleID,
                    keyID: keyID,
                    productID: productID,
                    offerID: offerID,
                    applicationUsername: username,
                    nonce: nonce,
                    timestamp: timestamp
                )
                try signed.verify(signature, key: try offerKey(keyID, app), now: wallClock().milliseconds)
                return GrantedOffer(
                    choice: .promotional(offerID),
                    nonce: nonce.lowercased(),
                    username: username.isEmpty ? nil : username.lowercased()
                )
            case .promotionalJWS(let offerID, let token):
                let request = try StoreRequestToken(token)
                let grant = try request.promotionalOffer(try expectation(request.keyID, app))
                try grant.check(productID: productID, offerID: offerID)
                if let transaction = grant.transactionID { try await check(transaction, isOf: customer) }
                return GrantedOffer(choice: .promotional(offerID), nonce: grant.nonce.lowercased(), username: nil)
            case .introductoryJWS(let token):
                let request = try StoreRequestToken(token)
                let grant = try request.introductoryOffer(try expectation(request.keyID, app))
                try grant.check(productID: productID)
                try await check(grant.transactionID, isOf: customer)
                let choice: OfferChoice = grant.isAllowed ? .introductory(evenIfUsed: true) : .none
                return GrantedOffer(choice: choice, nonce: grant.nonce.lowercased(), username: nil)
            }
        } catch let refusal as OfferSignatureRefusal {
            throw OfferProofRefused(explanation: refusal.explanation)
        }
    }

    /// Checks that a token is for this customer. A token names its customer by any of their transactions, or by their
    /// app transaction.
    private func check(_ transaction: String, isOf customer: CustomerName) async throws {
        let account = try await storage.account(of: customer)
        if let account, account.shownID == transaction { return }
        if let account, let number = Int64(transaction),
            try await storage.owner(of: TransactionID(number), in: customer.scope) == account.id
        {
            return
        }
        if let account,
            try await storage.foreignIdentifier(.transaction, transaction, in: customer.scope)?.account == account.id
        {
            return
        }
        throw OfferProofRefused(
            explanation: "The token is for the customer of transaction \(transaction.prefix(64)), "
                + "who is not \(customer.customer)."
        )
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
        guard let found = registry.keys(keyID).first(where: { $0.record.signsOffers(of: app) }) else {
            let good = registry.keys.filter { $0.signsOffers(of: app) }.map(\.id)
            throw OfferProofRefused(
                explanation: "Key \(keyID.prefix(64)) may not sign offers of \(app.bundleID). Keys that may: "
                    + (good.isEmpty ? "none. Create one: till key create." : good.joined(separator: ", ") + ".")
            )
        }
        return found.key
    }
}
