import Foundation
import Testing
import TillCore
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// A complete shop on a store: results are read from what it signed.
final class ShopStage: Stage {
    let test: TestShop
    let environment: StoreEnvironment
    var scope: AccountScope { AccountScope(environment: environment, app: TestShop.bundleID) }
    var clock: ClockName { ClockName(scope) }

    init(_ opening: StageSettings, on engine: TestEngine) async throws {
        environment = opening.environment
        let policy = opening.policy
        var settings = Settings()
        settings.sandboxRenewalCap = policy.renewalCap ?? 0
        // Longer than a busy machine takes to answer.
        settings.deliveryTimeout = 120
        settings.keepsAnchorDay = policy.keepsAnchorDay
        settings.keepsGraceDate = policy.keepsGraceDate
        settings.commitmentsEverywhere = policy.commitmentsEverywhere
        settings.extendsFirstPeriod = policy.extendsFirstPeriod
        settings.extraFamilyNotifications = policy.extraFamilyNotifications
        settings.refundWindowMinutes = Int(policy.refundWindow / 60_000)
        settings.storefrontsAskingConsent = policy.storefrontsAskingConsent.sorted()
        test = try await TestShop(
            on: engine,
            selling: opening.products,
            settings: settings,
            now: opening.start.milliseconds
        )
        try await test.shop.updateRules(of: scope) {
            $0.rate = policy.rate
            $0.grace = policy.grace
            $0.refundRule = policy.refundRule
        }
        #expect(test.shop.policy(of: scope) == policy, "a policy of a scenario cannot be set on a shop")
        _ = try await test.shop.setClock(clock, .freeze(at: opening.start))
    }

    func open(_ customer: String, storefront: Storefront) async throws {
        _ = try await test.shop.openAccount(name(customer), TillShop.Opening(storefront: storefront))
    }

    func perform(_ operation: StageOperation, by customer: String) async throws {
        do {
            _ = try await test.shop.perform(try await command(operation), by: name(customer))
        } catch let refusal as Refusal {
            throw Refused(refusal)
        }
    }

    func perform(_ task: Job.Work) async throws { _ = try await test.shop.startJob(task, in: scope) }

    func put(_ product: Product) async throws {
        _ = try await test.shop.updateCatalog(of: scope.app) { catalog in
            var catalog = catalog
            catalog.put(product)
            return catalog
        }
    }

    func advance(to instant: Timestamp) async throws {
        _ = try await test.shop.advance(clock, .to(instant), settling: false)
    }

    func received() async throws -> [ReceivedNotification] {
        let query = NotificationQuery(scope: scope, limit: 10_000)
        var received: [ReceivedNotification] = []
        for entry in try await test.shop.storage.notifications(query).sorted(by: { $0.id < $1.id }) {
            received += try await self.received(String(decoding: try test.shop.signedPayload(entry), as: UTF8.self))
        }
        return received
    }

    func history(of customer: String) async throws -> [ReceivedTransaction] {
        guard let account = try await known(customer) else { return [] }
        let page = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 10_000))
        return try page.rows.map { row in
            let signed = try test.shop.signed(
                row,
                environment: environment,
                app: scope.app,
                at: test.shop.now(in: scope)
            )
            return try SignedText.decode(ReceivedTransaction.self, signed.text)
        }
    }

    func subscriptions(of customer: String) async throws -> [ReceivedSubscription] {
        guard let account = try await known(customer) else { return [] }
        let now = try await test.shop.instantOfState(of: account)
        return try account.heldSubscriptions.sorted { $0.originalID < $1.originalID }.map { subscription in
            let transaction = try test.shop.signed(
                subscription.latestTransaction,
                environment: environment,
                app: scope.app,
                at: now
            )
            let info = try test.shop.signedRenewalInfo(of: subscription, held: account, at: now)
            return ReceivedSubscription(
                status: subscription.status.rawValue,
                transaction: try SignedText.decode(ReceivedTransaction.self, transaction.text),
                renewalInfo: try SignedText.decode(ReceivedRenewalInfo.self, info.text)
            )
        }
    }

    // MARK: Parts

    func name(_ customer: String) -> CustomerName { CustomerName(scope, customer) }

    func account(_ customer: String) async throws -> Account {
        try #require(try await known(customer))
    }

    func known(_ customer: String) async throws -> Account? {
        try await test.shop.storage.account(environment: environment, app: scope.app, customer: customer)
    }

    /// A decoded signed notification; summaries are skipped, because they have no customer.
    func received(_ signedPayload: String) async throws -> [ReceivedNotification] {
        let payload = try SignedText.decode(ReceivedPayload.self, signedPayload)
        guard let data = payload.data, let signed = data.signedTransactionInfo else { return [] }
        let id = try SignedText.decode(ReceivedAccount.self, signed).appTransactionId
        let number = try #require(Int64(id))
        let account = try #require(try await test.shop.storage.account(AccountID(number)))
        return [
            ReceivedNotification(
                signedDate: payload.signedDate,
                customer: account.customer,
                type: payload.notificationType,
                subtype: payload.subtype,
                status: data.status,
                consumptionRequestReason: data.consumptionRequestReason,
                transaction: try SignedText.decode(ReceivedTransaction.self, signed),
                renewalInfo: try data.signedRenewalInfo.map { try SignedText.decode(ReceivedRenewalInfo.self, $0) }
            )
        ]
    }

    private func command(_ operation: StageOperation) async throws -> Command {
        if case .joinFamily(let host) = operation {
            return .joinFamily(of: try await account(host).id, named: "family")
        }
        return try operation.command { _ in nil }
    }
}

/// A decoded notification, with the keys that scenarios check.
private struct ReceivedPayload: Decodable {
    struct Data: Decodable {
        var status: Int?
        var consumptionRequestReason: String?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
    }

    var notificationType: String
    var subtype: String?
    var signedDate: Timestamp
    var data: Data?
}

private struct ReceivedAccount: Decodable {
    var appTransactionId: String
}

/// Decodes a compact JWS, without verifying the signature.
enum SignedText {
    static func decode<Value: Decodable>(_ type: Value.Type, _ jws: String) throws -> Value {
        let segments = jws.split(separator: ".")
        try #require(segments.count == 3)
        let payload = try #require(Base64URL.decode(String(segments[1])))
        return try JSONDecoder().decode(type, from: Data(payload))
    }
}
