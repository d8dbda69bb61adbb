import Foundation
import TillControl
import TillCore
import TillShop
import TillStorage

/// Turns requests into purchases.
extension ControlAPI {
    /// The purchase of a request, without its offer, price and order.
    func purchase(of request: BuyProduct) -> Purchase {
        var purchase = Purchase(productID: request.productId, appAccountToken: request.appAccountToken)
        purchase.quantity = request.quantity ?? 1
        purchase.storefront = request.storefront
        purchase.isFinished = request.finished ?? false
        purchase.billingPlan = request.billingPlan
        purchase.isInterrupted = request.interrupted ?? false
        return purchase
    }

    /// Applies an offer to a purchase. The signature of a promotional or introductory offer is verified.
    func apply(_ offer: OfferToApply, to purchase: inout Purchase, by name: CustomerName) async throws {
        func id() throws -> String {
            guard let id = offer.id else {
                throw ControlError.bad("offer_id_missing", "This kind of offer needs an id.", path: "$.offer.id")
            }
            return id
        }
        let proof: OfferProof
        switch offer.kind {
        case .introductory:
            purchase.offer = .introductory(evenIfUsed: false)
            guard let token = offer.token else { return }
            proof = .introductoryJWS(token)
        case .promotional: proof = try Self.promotionalProof(offer, offerID: try id())
        case .code:
            purchase.offer = .code(try id())
            return
        case .winBack:
            purchase.offer = .winBack(try id())
            return
        case .none:
            purchase.offer = .none
            return
        }
        let granted = try await shop.offer(grantedBy: proof, productID: purchase.productID, to: name)
        purchase.offer = granted.choice
        purchase.offerNonce = granted.nonce
        guard let username = granted.username else { return }
        guard username == purchase.appAccountToken?.lowercased() || purchase.appAccountToken == nil else {
            throw OfferProofRefused(
                explanation: "The signature is for the application username \(username.prefix(64)), "
                    + "but the purchase has another app account token."
            )
        }
        purchase.appAccountToken = UUIDText.canonical(username)
    }

    /// The price in the request, in its currency or else in the catalog's.
    static func price(_ request: BuyProduct) throws -> PriceOverride? {
        guard let milliunits = request.price else { return nil }
        let currency = request.currency
        guard currency?.utf8.count ?? 3 == 3, currency?.utf8.allSatisfy({ (0x41...0x5a).contains($0) }) ?? true else {
            throw ControlError.bad(
                "bad_currency",
                "A currency must be three capital letters (ISO 4217).",
                path: "$.currency"
            )
        }
        return PriceOverride(milliunits: milliunits, currency: currency)
    }

    /// The order of a customer with this id.
    func order(_ text: String, of name: CustomerName) async throws -> OrderID {
        guard let order = OrderID(wireForm: text) else {
            throw ControlError.bad("bad_order_id", "An order id must be M and nine characters.", path: "$.orderId")
        }
        let account = try await shop.storage.account(of: name)
        let rows = try await shop.storage.transactions(in: order)
        guard let account, rows.contains(where: { $0.account == account.id }) else { throw Refusal.unknownOrder(order) }
        return order
    }

    private static func promotionalProof(_ offer: OfferToApply, offerID: String) throws -> OfferProof {
        if let token = offer.token { return .promotionalJWS(offerID: offerID, token: token) }
        guard
            let keyID = offer.keyId, let nonce = offer.nonce, let timestamp = offer.timestamp,
            let signature = offer.signature
        else {
            throw OfferProofRefused(
                explanation: "A promotional offer needs the app's signature: a token, or keyId, nonce, timestamp and "
                    + "signature. The official libraries create both."
            )
        }
        return .promotional(
            offerID: offerID,
            keyID: keyID,
            nonce: nonce,
            timestamp: timestamp,
            applicationUsername: offer.applicationUsername ?? "",
            signature: signature
        )
    }
}
