import Crypto
import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Buys with signed promotional offers, in Apple's older format and as a JWS. The signatures follow Apple's
/// documentation; tests in Python create them with the official library.
@Suite("Signatures of promotional offers, through the control API")
struct OfferSignatureRouteTests {
    private typealias Shop = OfferRouteTests.Shop

    /// A format of a signed offer.
    enum Form: CaseIterable, Sendable {
        case legacy
        case token
    }

    /// Creates signatures with a key of a team, for an app.
    private struct Signer: Sendable {
        let key: APIKeyPair
        var issuerID: String
        var bundleID = TestShop.bundleID
        let now: Int64

        init(_ shop: Shop, key: APIKeyPair? = nil, issuerID: String? = nil) {
            self.key = key ?? shop.control.test.key
            self.issuerID = issuerID ?? shop.control.test.app.issuerID
            now = shop.control.test.now.milliseconds
        }

        func offer(_ form: Form, _ product: String, _ offer: String) throws -> OfferToApply {
            form == .legacy ? try legacy(product, offer) : try token(product, offer)
        }

        func legacy(_ product: String, _ offer: String, username: String = "", at date: Int64? = nil) throws
            -> OfferToApply
        {
            let nonce = UUID().uuidString.lowercased()
            let values = [bundleID, key.keyID, product, offer, username.lowercased(), nonce, "\(date ?? now)"]
            let text = Data(values.joined(separator: "\u{2063}").utf8)
            let signing = try P256.Signing.PrivateKey(pemRepresentation: key.privateKeyPEM.exposed)
            var made = OfferToApply(kind: .promotional, id: offer)
            made.keyId = key.keyID
            made.nonce = nonce
            made.timestamp = date ?? now
            made.signature = try signing.signature(for: text).derRepresentation.base64EncodedString()
            made.applicationUsername = username.isEmpty ? nil : username
            return made
        }

        /// The claims of a JWS with some changes. Values are JSON; a change to nil removes a claim.
        func claims(_ product: String, _ offer: String, _ changes: [String: String?] = [:]) -> [UInt8] {
            let whole: [String: String?] = [
                "iss": "\"\(issuerID)\"", "iat": "\(now / 1_000)", "aud": #""promotional-offer""#,
                "bid": "\"\(bundleID)\"", "nonce": "\"\(UUID().uuidString.lowercased())\"",
                "productId": "\"\(product)\"", "offerIdentifier": "\"\(offer)\"",
            ]
            let members = whole.merging(changes) { $1 }.compactMap { key, value in value.map { #""\#(key)":\#($0)"# } }
            return Array("{\(members.joined(separator: ","))}".utf8)
        }

        func token(_ product: String, _ offer: String, _ changes: [String: String?] = [:]) throws -> OfferToApply {
            let text = try key.sign(claims(product, offer, changes))
            return OfferToApply(kind: .promotional, id: offer, token: text)
        }
    }

    /// Runs a test with a customer, ann, whose subscription to `basic` has ended.
    private static func run(_ body: @escaping @Sendable (Shop, TransactionInfo) async throws -> Void) async throws {
        try await Shop.run { shop in try await body(shop, try await shop.routes.lapsed("basic", by: "ann")) }
    }

    private static func expectRefused(_ shop: Shop, _ offer: OfferToApply, _ words: [String] = []) async throws {
        let request = shop.request("basic", by: "ann", offer)
        try await shop.expectRefusal(422, "offer_signature", of: request)
        let failure = await #expect(throws: ControlFailure.self) { try await shop.control.send(request) }
        for word in words {
            #expect(failure?.error.message.contains(word) == true, "\(word): \(String(describing: failure))")
        }
    }

    @Test(
        "A lapsed customer begins with a signed offer; an active one gets it with the next period",
        arguments: Form.allCases
    )
    func accepted(_ form: Form) async throws {
        for environment in StoreEnvironment.allCases {
            try await Shop.run(in: environment) { shop in
                let signer = Signer(shop)
                for (id, found) in [
                    ("stay3", "2 stay3 PAY_AS_YOU_GO P3M 2990"), ("half", "2 half PAY_UP_FRONT P6M 9990"),
                    ("month", "2 month FREE_TRIAL P1M 0"),
                ] {
                    _ = try await shop.routes.lapsed("basic", by: id)
                    let bought = try await shop.buy("basic", by: id, try signer.offer(form, "basic", id))
                    #expect(bought.offer == found && bought.events.contains(.resubscribed))
                }
                let running = try await shop.buy("basic", by: "bob", .noOffer)
                let taken = try await shop.buy("basic", by: "bob", try signer.offer(form, "basic", "stay3"))
                #expect(taken.info.transactionId == running.info.transactionId && taken.events == [.offerRedeemed])
                #expect(taken.next == "2 stay3 PAY_AS_YOU_GO P3M 2990" && taken.offer == running.offer)
                let second = try await shop.buy("basic", by: "bob", try signer.offer(form, "basic", "month"))
                #expect(second.next == "2 month FREE_TRIAL P1M 0", "the second replaces the first")
            }
        }
    }

    @Test("A signature needs an offer and an earlier subscription, and is valid once", arguments: Form.allCases)
    func once(_ form: Form) async throws {
        try await Self.run { shop, _ in
            let signer = Signer(shop)
            let month = try signer.offer(form, "basic", "month")
            let early = shop.request("basic", by: "new", try signer.offer(form, "basic", "month"))
            try await shop.expectRefusal(409, "offer_needs_earlier_subscription", of: early)
            let unsigned = OfferToApply(kind: .promotional, id: "month")
            try await Self.expectRefused(shop, unsigned)
            let unknown = shop.request("basic", by: "ann", try signer.offer(form, "basic", "nothing"))
            try await shop.expectRefusal(404, "unknown_offer", "nothing", of: unknown)
            let nameless = shop.request("basic", by: "ann", OfferToApply(kind: .promotional))
            try await shop.expectRefusal(400, "offer_id_missing", of: nameless)
            #expect(try await shop.buy("basic", by: "ann", month).offer == "2 month FREE_TRIAL P1M 0")
            let again = shop.request("basic", by: "ann", month)
            try await shop.expectRefusal(409, "offer_signature_used", of: again)
        }
    }

    @Test("A signature for another product, offer or app, or with a wrong key, is refused", arguments: Form.allCases)
    func others(_ form: Form) async throws {
        try await Self.run { shop, _ in
            let signer = Signer(shop)
            try await Self.expectRefused(shop, try signer.offer(form, "pro", "month"))
            var renamed = try signer.offer(form, "basic", "half")
            renamed.id = "month"
            try await Self.expectRefused(shop, renamed)
            var elsewhere = signer
            elsewhere.bundleID = "com.neighbour"
            try await Self.expectRefused(shop, try elsewhere.offer(form, "basic", "month"))
            let own = shop.control.test.key.keyID
            let foreignTeam = try await shop.control.addApp("org.foreign").issuerId
            let foreign = try await shop.control.addKey(foreignTeam)
            let theirs = Signer(shop, key: foreign, issuerID: foreignTeam)
            try await Self.expectRefused(shop, try theirs.offer(form, "basic", "month"), [foreign.keyID, own])
            let revoked = try await shop.control.addKey(shop.control.test.app.issuerID)
            _ = try await shop.control.send(RevokeKey(keyId: revoked.keyID))
            let late = Signer(shop, key: revoked)
            try await Self.expectRefused(shop, try late.offer(form, "basic", "month"), [revoked.keyID])
            let liar = Signer(shop, key: try APIKeyPair(keyID: own, privateKeyPEM: foreign.privateKeyPEM))
            try await Self.expectRefused(shop, try liar.offer(form, "basic", "month"), [own])
        }
    }

    @Test("A signature in the older format is refused for other values, and after a day")
    func legacy() async throws {
        try await Self.run { shop, _ in
            let signer = Signer(shop)
            let own = shop.control.test.key.keyID
            let changes: [(WritableKeyPath<OfferToApply, String?>, String, [String])] = [
                (\.signature, "AAAA", []), (\.signature, "not base64!", []), (\.signature, "", []),
                (\.nonce, UUID().uuidString, []), (\.nonce, "no-uuid", ["no-uuid", "UUID"]),
                (\.applicationUsername, "someone", []), (\.keyId, "UNKNOWNKEY", ["UNKNOWNKEY", own]),
                (\.id, "half", []),
            ]
            for (path, value, words) in changes {
                var offer = try signer.legacy("basic", "month")
                offer[keyPath: path] = value
                try await Self.expectRefused(shop, offer, words)
            }
            var dated = try signer.legacy("basic", "month")
            dated.timestamp = 1_700_000_000_000
            try await Self.expectRefused(shop, dated)
            let day: Int64 = 86_400_000
            for (date, word) in [(signer.now - day - 5_000, "expired"), (signer.now + 3_600_000, "future")] {
                try await Self.expectRefused(shop, try signer.legacy("basic", "month", at: date), [word])
            }
            // The user name and the nonce are compared without regard to case.
            var offer = try signer.legacy(
                "basic",
                "month",
                username: "user-abc@example.com",
                at: signer.now - day + 60_000
            )
            offer.applicationUsername = "User-ABC@Example.COM"
            offer.nonce = offer.nonce?.uppercased()
            #expect(try await shop.buy("basic", by: "ann", offer).info.transactionId.isEmpty == false)
        }
    }

    @Test("A JWS with another header or another claim is refused, and the message names it")
    func tokens() async throws {
        try await Self.run { shop, old in
            let signer = Signer(shop)
            let tokens = BearerTokens(test: shop.control.test)
            let claims = signer.claims("basic", "month")
            let good = try tokens.signed(tokens.header(), claims)
            let parts = good.split(separator: ".")
            let changed = BearerTokens.encoded(signer.claims("basic", "half"))
            let elsewhere = try await shop.routes.lapsed("basic", by: "bob").transactionId
            let now = signer.now / 1_000
            var cases: [(String, [String])] = [
                ("\(parts[0]).\(changed).\(parts[2])", ["signature"]), ("nonsense", []),
                (String(good.dropLast(3)) + "AAA", []),
                (try tokens.signed(tokens.header(["alg": #""none""#]), claims), ["none"]),
                (try tokens.signed(tokens.header(["kid": nil]), claims), ["kid"]),
            ]
            let wrong: [(String, String?, String)] = [
                ("aud", #""introductory-offer-eligibility""#, "aud"), ("aud", #""appstoreconnect-v1""#, "aud"),
                ("iss", "\"\(UUID().uuidString)\"", "iss"), ("bid", #""com.example.other""#, "com.example.other"),
                ("iat", "\(now + 3_600)", "future"), ("productId", nil, "productId"),
                ("offerIdentifier", nil, "offerIdentifier"), ("nonce", nil, "nonce"), ("iat", nil, "iat"),
                ("transactionId", "\"\(elsewhere)\"", elsewhere),
            ]
            for (claim, value, word) in wrong {
                let text = try tokens.signed(tokens.header(), signer.claims("basic", "month", [claim: value]))
                cases.append((text, [word]))
            }
            for (text, words) in cases {
                try await Self.expectRefused(shop, OfferToApply(kind: .promotional, id: "month", token: text), words)
            }
            // The token may name the customer by any transaction, or by the app transaction.
            for (offer, id) in [("month", old.transactionId), ("stay3", old.appTransactionId)] {
                let named = try signer.token("basic", offer, ["transactionId": "\"\(id)\""])
                _ = try await shop.buy("basic", by: "ann", named)
            }
            let list = ListUsedOffers(app: shop.routes.app, customer: "ann")
            let used = try await shop.control.send(list)
            #expect(used.map(\.offerIdentifier) == ["month"] && used.map(\.transactions) == [1])
        }
    }
}
