import Foundation
import TillCore
import TillJSON
import TillShop
import TillStorage
import TillTestSupport

/// Two lives of ann, each in a shop of its own, which give the same answers, and a future that differs.
struct HiddenLives: Sendable {
    /// Operations in a shop.
    typealias Operations = @Sendable (ShopBackend) async throws -> Void

    /// What the future shows in addition to the answers of the App Store Server API.
    enum Extra: Sendable {
        case nothing
        /// The renewal states in the answer of verifyReceipt.
        case receipts
        /// The orders, because the developer learns their ids.
        case orders
        /// The answers of a server with the setting `keepsGraceDate`, which both shops lack before.
        case graceDates
    }

    /// The environment of both shops.
    var environment = StoreEnvironment.sandbox
    /// The products of both shops.
    var products: [Product] = [.pro.with { $0.offers = [] }, .coins, .skin]
    /// The grace period of both shops.
    var grace: GracePeriod?
    /// The rule of both shops for refund requests.
    var refundRule = RefundRule.followPreference
    /// The day on which the clocks of both shops begin, at noon.
    var start = "2026-01-01"
    /// The customers whose future is compared.
    var customers = ["ann"]
    var extra = Extra.nothing
    /// The life with the fact.
    let first: Operations
    /// The life without the fact, or with another value.
    let second: Operations
    /// What happens to both customers afterwards.
    let future: Operations

    /// Opens a shop.
    func open() async throws -> ShopBackend {
        var policy = Policy(for: environment)
        policy.grace = grace
        policy.refundRule = refundRule
        policy.keepsGraceDate = extra != .graceDates
        let opening = BackendSettings(
            environment: environment,
            products: products,
            policy: policy,
            start: Timestamp(day: start)
        )
        return try await ShopBackend(opening, on: .sqlite)
    }

    /// What the server answers about ann now, without ids and signing dates.
    func answers(of shop: ShopBackend) async throws -> [String] {
        try await answers(of: "ann", in: shop, withOrders: extra != .orders)
    }

    /// What the server answers after the future.
    func laterAnswers(of shop: ShopBackend) async throws -> [String] {
        var lines: [String] = []
        for customer in customers {
            var other: Shop?
            if extra == .graceDates { other = try await Self.reopened(shop.test) }
            lines += try await answers(of: customer, in: shop, withOrders: true, from: other)
            if extra == .receipts { lines += try await Self.receiptLines(of: customer, in: shop) }
        }
        return lines
    }

    private func answers(
        of customer: String,
        in shop: ShopBackend,
        withOrders: Bool,
        from other: Shop? = nil
    ) async throws -> [String] {
        guard let account = try await shop.account(of: customer) else { return [] }
        var orders: [String] = []
        for row in try await shop.transactions(of: customer).sorted(by: { $0.id < $1.id }) where withOrders {
            if let order = row.shownOrderID, !orders.contains(order) { orders.append(order) }
        }
        let answers = try await APIAnswers(
            of: account.shownID,
            orders: orders,
            from: shop.test,
            in: environment,
            of: other
        )
        return try answers.linesWithoutIDs()
    }

    /// A server with another setting on the same store.
    private static func reopened(_ test: TestShop) async throws -> Shop {
        var settings = test.shop.settings
        settings.keepsGraceDate = true
        return try await Shop(
            storage: test.shop.storage,
            chain: test.shop.signingChain,
            settings: settings,
            logger: test.shop.logger,
            wallClock: { test.now }
        )
    }

    /// The elements of `pending_renewal_info`, without ids.
    private static func receiptLines(of customer: String, in shop: ShopBackend) async throws -> [String] {
        guard let account = try await shop.account(of: customer),
            let receipt = try await shop.test.shop.appReceipt(of: account)
        else { return [] }
        let secret = String(repeating: "0", count: 32)
        try await shop.test.shop.setup.setSharedSecret(secret, of: shop.test.app)
        let request = VerifyReceiptRequest(
            receiptData: Data(receipt).base64EncodedString(),
            password: secret,
            excludesOldTransactions: false
        )
        let answer = try await shop.test.shop.verifyReceipt(request, in: shop.environment)
        guard answer.status == 0 else { return ["status \(answer.status)"] }
        return try (JSONTree.parse(answer.body)["pending_renewal_info"] ?? .null).elements.map { element in
            element.members.filter { $0.key != "original_transaction_id" }
                .map { "\($0.key)=\($0.value.text ?? "")" }.joined(separator: " ")
        }
    }
}

/// Operations of the two lives.
extension ShopBackend {
    /// Advances the clock to noon UTC of a day, or to an instant.
    func advance(to date: String) async throws { try await advance(to: Timestamp(day: date)) }

    /// Runs an operation that the rules refuse in one of the two lives.
    func attempt(_ operation: () async throws -> Void) async throws {
        do { try await operation() } catch is Refusal {}
    }

    /// Changes the settings of the environment, and processes what this makes due.
    func change(_ change: @escaping @Sendable (inout EnvironmentSettings) -> Void) async throws {
        _ = try await test.shop.setup.updateRules(of: scope) { change(&$0) }
        try await processDue()
    }

    /// Processes what is due for ann.
    func processDue() async throws { try await run(.processDue) }

    /// Runs a command of ann.
    func run(_ command: Command) async throws { _ = try await perform(command, by: "ann") }

    /// Adds a product to the catalog.
    func put(_ product: Product) async throws {
        _ = try await test.shop.setup.updateCatalog(of: scope.app) { catalog in
            var catalog = catalog
            catalog.put(product)
            return catalog
        }
    }

    /// Ann's latest transaction.
    func latest() async throws -> Transaction {
        guard let row = try await transactions(of: "ann").max(by: { $0.id < $1.id }) else {
            throw Refusal.unknownAccount("ann")
        }
        return row
    }
}
