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

/// What an app's server does with the transactions of a customer, in one environment.
struct AppServer: Sendable {
    let control: TypedControl
    let environment: StoreEnvironment
    var app: AppEnvironment { AppEnvironment(TestShop.bundleID, environment) }
    var apple: AppleRoutes { AppleRoutes(test: control.test, environment: environment) }

    /// Runs a test in an environment of a new shop.
    static func run(
        in environment: StoreEnvironment = .sandbox,
        selling products: [Product] = SampleCatalog.apple,
        _ body: @escaping @Sendable (AppServer) async throws -> Void
    ) async throws {
        try await TypedControl.run(try await TestShop(selling: products)) {
            try await body(AppServer(control: $0, environment: environment))
        }
    }

    // MARK: The customer

    @discardableResult
    func buy(_ product: String, by customer: String, offer: OfferToApply? = .noOffer) async throws -> TransactionInfo {
        let isSubscription = ["basic", "pro", "year", "extra"].contains(product)
        return try await control.buy(product, by: customer, in: app, offer: isSubscription ? offer : nil)
    }

    /// Makes purchases one after the other, a second apart, and returns their ids.
    func buyMany(_ product: String, by customer: String, _ count: Int) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count {
            control.test.advance(1_000)
            ids.append(try await buy(product, by: customer).transactionId)
        }
        return ids
    }

    func refund(_ ids: String...) async throws { try await refund(ids) }

    func refund(_ ids: [String]) async throws {
        for id in ids {
            control.test.advance(1_000)
            _ = try await control.send(RefundTransaction(app: app, transactionId: id, reason: .issueInApp))
        }
    }

    func reverse(_ id: String) async throws { _ = try await control.send(ReverseRefund(app: app, transactionId: id)) }

    func setToken(_ token: String, of id: String) async throws {
        let path = "/inApps/v1/transactions/\(id)/appAccountToken"
        try await apple.expectEmpty(200, try await apple.send(.put, path, #"{"appAccountToken":"\#(token)"}"#))
    }

    func finish(_ id: String) async throws {
        try await apple.expectEmpty(200, try await apple.send(.post, "/inApps/v1/transactions/\(id)/finish"))
    }

    /// The app transaction id of a customer.
    func customerID(_ customer: String) async throws -> String {
        try await control.send(GetCustomer(app: app, customer: customer)).appTransactionId
    }

    /// A subscription that was bought a number of days ago, cancelled at once, and has expired.
    func lapsed(
        _ product: String,
        by customer: String,
        offer: OfferToApply? = .noOffer,
        days: Int64 = 60
    ) async throws -> TransactionInfo {
        let clock = "past-\(customer)"
        let start = control.inDays(-days)
        _ = try await control.send(CreateClock(app: app, name: clock, at: start))
        _ = try await control.send(CreateCustomer(app: app, customer: customer, at: start))
        _ = try await control.send(UpdateCustomer(app: app, customer: customer, clock: clock))
        let bought = try await buy(product, by: customer, offer: offer)
        let original = bought.originalTransactionId
        _ = try await control.send(CancelSubscription(app: app, originalTransactionId: original))
        _ = try await control.send(AdvanceClock(app: app, clock: clock, to: control.test.now))
        _ = try await control.send(UpdateCustomer(app: app, customer: customer, clock: ""))
        return bought
    }

    // MARK: Pages

    /// A page of a history.
    struct Page: Sendable {
        let transactions: [JSONTree]
        let revision: String
        let hasMore: Bool
        var ids: [String] { transactions.compactMap { $0["transactionId"]?.text } }
    }

    /// A page of the route at a path. The query begins with an ampersand, if there is one.
    func page(_ path: String, _ query: String = "", after revision: String? = nil) async throws -> Page {
        let page = try await apple.json("\(path)?\(revision.map { "revision=\($0)" } ?? "")\(query)")
        let signed = page["signedTransactions"]?.elements ?? []
        let hasMore = page["hasMore"] == .bool(true)
        #expect(signed.count == 20 || !hasMore && signed.count < 20, "only the last page is short")
        return Page(
            transactions: try signed.map { try control.payload(of: $0.text) },
            revision: try #require(page["revision"]?.text),
            hasMore: hasMore
        )
    }

    /// The pages of the route at a path, from a revision on.
    func pages(_ path: String, _ query: String = "", after revision: String? = nil) async throws -> [Page] {
        var pages = [try await page(path, query, after: revision)]
        while let last = pages.last, last.hasMore { pages.append(try await page(path, query, after: last.revision)) }
        return pages
    }

    /// All transactions of the route at a path from a revision on, and the last revision.
    func whole(_ path: String, _ query: String = "", after revision: String? = nil) async throws -> Page {
        let pages = try await pages(path, query, after: revision)
        let last = try #require(pages.last)
        return Page(transactions: pages.flatMap(\.transactions), revision: last.revision, hasMore: false)
    }

    /// The ids of all transactions in the history of a customer with an id.
    func history(_ id: String, _ query: String = "") async throws -> [String] {
        try await whole("/inApps/v2/history/\(id)", query).ids
    }
}

extension JSONTree {
    /// The text of a key.
    func text(_ key: String) -> String? { self[key]?.text }
}
