import Foundation
import TillCore
import TillJSON
import TillSigning
import TillStorage

/// Creates signed data that a correct verifier must reject, for an existing or an invented purchase.
package struct AttackPack: Sendable {
    private let shop: Shop
    private let chain: SigningChain
    private let forger: Forger
    private let app: AppRecord
    private let environment: StoreEnvironment
    private let row: Transaction
    private let account: Account?
    private let signedDate: Timestamp

    /// - Parameter purchase: the purchase that the data describes; nil invents a purchase that is in no ledger.
    /// - Throws: `AttackRefused` if the server has no root certificate, or if the app does not exist.
    package init(_ shop: Shop, _ scope: AccountScope, about purchase: (row: Transaction, account: Account)?) throws {
        let chain = shop.signingChain
        guard let forger = shop.keys.authority.forger(beside: chain) else {
            throw AttackRefused(reason: "this server has no root certificate")
        }
        guard let app = shop.registry.app(scope.app) else {
            throw AttackRefused(reason: "app \(scope.app) does not exist")
        }
        self.shop = shop
        self.chain = chain
        self.forger = forger
        self.app = app
        environment = scope.environment
        account = purchase?.account
        let now = purchase.map { shop.now(of: $0.account) } ?? shop.now(in: scope)
        row = purchase?.row ?? Self.madeUp(in: scope, selling: shop.registry.catalog(of: scope.app), at: now)
        signedDate = max(now, row.modifiedDate, purchase?.account.lastEvent ?? now)
    }

    /// Returns the data of a case. Every call signs the data again, with a new notification UUID.
    package func sample(_ attack: Attack) throws -> AttackSample {
        switch attack {
        case .forged(let forgery):
            let right = Notice(app, environment)
            var altered = right
            altered.uuid = Self.uuid()
            var richer = row
            richer.productID += ".everything"
            return AttackSample(
                attack: attack,
                signedPayload: try forger.sign(
                    content(try notification(right), altered: try notification(altered)),
                    forgery
                ),
                signedTransactionInfo: try forger.sign(
                    content(transaction(row, app, environment), altered: transaction(richer, app, environment)),
                    forgery
                )
            )
        case .control, .replayed: return try correctlySigned(attack, Notice(app, environment))
        case .otherApp:
            let other = AppRecord(
                bundleID: app.bundleID + ".other",
                appleID: app.appleID,
                name: app.name,
                issuerID: app.issuerID,
                createdAt: app.createdAt
            )
            return try correctlySigned(attack, Notice(other, environment))
        case .otherEnvironment:
            return try correctlySigned(attack, Notice(app, environment == .sandbox ? .production : .sandbox))
        case .renewalInfo:
            var notice = Notice(app, environment)
            notice.hasRenewalInfoForTransaction = true
            return try correctlySigned(attack, notice)
        }
    }

    // MARK: Payloads

    /// The properties in which the notifications of the pack differ.
    private struct Notice {
        let app: AppRecord
        let environment: StoreEnvironment
        var uuid = AttackPack.uuid()
        var hasRenewalInfoForTransaction = false

        init(_ app: AppRecord, _ environment: StoreEnvironment) {
            self.app = app
            self.environment = environment
        }
    }

    private func correctlySigned(_ attack: Attack, _ notice: Notice) throws -> AttackSample {
        let payload = info(notice)
        return AttackSample(
            attack: attack,
            signedPayload: try chain.sign(try notification(notice)),
            signedTransactionInfo: try chain.sign(payload)
        )
    }

    private func content(_ payload: [UInt8], altered: [UInt8]) -> Forger.Content {
        let realTime = shop.wallClock().milliseconds
        let signed = signedDate.milliseconds
        return Forger.Content(payload: payload, altered: altered, judged: min(realTime, signed)...max(realTime, signed))
    }

    private func transaction(_ row: Transaction, _ app: AppRecord, _ environment: StoreEnvironment) -> [UInt8] {
        TransactionPayload.bytes(row, environment: environment, app: app.bundleID, signedDate: signedDate)
    }

    /// The payload of `signedTransactionInfo`: the transaction, or renewal info in its place.
    private func info(_ notice: Notice) -> [UInt8] {
        notice.hasRenewalInfoForTransaction
            ? renewalInfo(notice.environment) : transaction(row, notice.app, notice.environment)
    }

    /// The renewal info of the purchase; invented renewal info for a purchase that is not a subscription.
    private func renewalInfo(_ environment: StoreEnvironment) -> [UInt8] {
        if let account, let subscription = account.heldSubscription(row.originalID) {
            let info = RenewalInfo(
                of: subscription,
                held: account,
                at: signedDate,
                catalog: shop.registry.catalog(of: account.app),
                policy: shop.registry.policy(of: account.scope)
            )
            return RenewalInfoPayload.bytes(info, environment: environment, signedDate: signedDate)
        }
        var json = JSONWriter()
        json.put("originalTransactionId", row.shownOriginalID)
        json.put("autoRenewProductId", row.productID)
        json.put("productId", row.productID)
        json.put("autoRenewStatus", 1)
        json.put("signedDate", signedDate)
        json.put("environment", environment.wireName)
        json.put("recentSubscriptionStartDate", row.purchaseDate)
        json.put("renewalDate", row.expiresDate ?? row.purchaseDate)
        json.put("appTransactionId", row.shownAccountID)
        return json.finish()
    }

    /// The payload of a notification. The transaction and the renewal info in it are correctly signed.
    private func notification(_ notice: Notice) throws -> [UInt8] {
        let subscription = account?.heldSubscription(row.originalID)
        let notifications: TillCore.Notice =
            row.groupID == nil ? TillCore.Notice(.oneTimeCharge) : TillCore.Notice(.subscribed, .initialBuy)
        let head = NotificationPayload.Head(
            type: notifications.type.rawValue,
            subtype: notifications.subtype?.rawValue,
            uuid: notice.uuid,
            signedDate: signedDate
        )
        let data = NotificationPayload.data(
            of: notice.app,
            environment: notice.environment,
            version: account?.appTransaction?.applicationVersion ?? "1.0",
            status: subscription?.status,
            hasRenewalInfo: subscription != nil,
            reason: nil
        )
        let renewal = subscription == nil ? nil : try part(renewalInfo(notice.environment))
        return Shop.completed(
            NotificationPayload.bytes(head, .data(data)),
            try part(info(notice)),
            renewal,
            header: chain.headerSegment
        )
    }

    private func part(_ payload: [UInt8]) throws -> SignedPart {
        SignedPart(payload: payload, signature: try chain.signature(for: payload))
    }

    // MARK: Invented purchases

    /// Invents a purchase that is in no ledger. The product is not an auto-renewable subscription; if the catalog has
    /// no such product, the product is invented, too.
    static func madeUp(in scope: AccountScope, selling catalog: Catalog, at now: Timestamp) -> Transaction {
        let products = catalog.products.values.filter { $0.plan == nil }.sorted { $0.id < $1.id }
        let product = products.first { $0.type == .consumable } ?? products.first
        let bought = Timestamp(milliseconds: now.milliseconds / 1_000 * 1_000)
        // The last transaction id of each environment; Till never assigns it to a real purchase.
        let id = TransactionID(scope.environment == .sandbox ? 2_999_999_999_999_999 : 430_999_999_999_999)
        return Transaction(
            id: id,
            originalID: id,
            account: AccountID(704_999_999_999_999_999),
            change: 1,
            lineItem: nil,
            order: nil,
            productID: product?.id ?? scope.app + ".product",
            groupID: nil,
            type: product?.type ?? .consumable,
            purchaseDate: bought,
            originalPurchaseDate: bought,
            expiresDate: nil,
            quantity: 1,
            appAccountToken: nil,
            ownership: .purchased,
            reason: .purchase,
            storefront: .unitedStates,
            price: product.map { catalog.price($0.prices, in: .unitedStates) }
                ?? Money(milliunits: 990, currency: "USD"),
            offer: nil,
            isUpgraded: false,
            revocation: nil,
            refundNumber: nil,
            isFinished: false,
            sharedFrom: nil,
            modifiedDate: bought
        )
    }

    private static func uuid() -> String { UUID().uuidString.lowercased() }
}

/// Why the data of an attack cannot be created.
package struct AttackRefused: Error, CustomStringConvertible {
    /// The reason, without a full stop.
    package let reason: String

    package var description: String { reason }
}
