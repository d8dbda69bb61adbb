import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

extension SampleCatalog {
    /// Three plans of one group: `pro`, and one level below it `basic` and `year`; `extra` in another group; and
    /// one-time products. `skin`, `pro` and `basic` have Family Sharing.
    static let control: [Product] = [
        .coins, .skin.shared, Product(id: "solo", type: .nonConsumable, referenceName: "Solo", prices: .usd(2_990)),
        .plan("pro", level: 1, at: 9_990, isShared: true),
        .plan("basic", level: 2, at: 4_990, isShared: true, offers: .freeWeek),
        .plan("year", level: 2, each: .year, at: 39_990),
        .plan("extra", each: .week, at: 1_490, group: "20450881"),
    ]
}

extension OfferToApply {
    /// No offer, not even the introductory one.
    static let noOffer = OfferToApply(kind: .none)
}

extension Encodable {
    /// The value as JSON, to compare it with another value.
    var json: JSONTree { get throws { try JSONTree(encoding: self) } }
}

extension TypedControl {
    /// Runs a test with a shop that sells the products of `SampleCatalog.control`.
    static func run(_ body: @escaping @Sendable (TypedControl) async throws -> Void) async throws {
        try await run(try await TestShop(selling: SampleCatalog.control), body)
    }

    /// The real time in a number of days.
    func inDays(_ count: Int64) -> Timestamp { test.now.advanced(milliseconds: count * 86_400_000) }

    /// Buys a product, in the sandbox by default.
    @discardableResult
    func buy(
        _ product: String,
        by customer: String,
        in app: AppEnvironment? = nil,
        offer: OfferToApply? = nil,
        at instant: Timestamp? = nil
    ) async throws -> TransactionInfo {
        let bought = try await send(
            BuyProduct(
                app: app ?? self.app,
                customer: customer,
                productId: product,
                offer: offer,
                at: instant,
                include: [.signed]
            )
        )
        return try #require(bought.transaction)
    }

    /// Subscribes a customer sixty days ago without an offer, and cancels at once, so that the subscription expired.
    func lapsed(_ product: String, by customer: String) async throws -> TransactionInfo {
        let start = inDays(-60)
        _ = try await send(CreateClock(app: app, name: "past", at: start))
        _ = try await send(CreateCustomer(app: app, customer: customer, at: start))
        _ = try await send(UpdateCustomer(app: app, customer: customer, clock: "past"))
        let bought = try await buy(product, by: customer, offer: .noOffer)
        let cancelled = try await send(
            CancelSubscription(app: app, originalTransactionId: bought.originalTransactionId)
        )
        #expect(cancelled.events == [.autoRenewDisabled])
        let report = try await send(AdvanceClock(app: app, clock: "past", to: test.now))
        #expect(try report.notifications.json == [Self.count(.expired, .voluntary)].json)
        let unassigned = try await send(UpdateCustomer(app: app, customer: customer, clock: ""))
        #expect(unassigned.customer.clock == nil)
        let expiresDate = try #require(bought.expiresDate)
        #expect(expiresDate < test.now)
        return bought
    }

    /// The number of notifications of a type, as in the report of an advance.
    static func count(
        _ type: NotificationType,
        _ subtype: NotificationSubtype? = nil,
        _ count: Int = 1
    ) -> NotificationCountInfo {
        NotificationCountInfo(type: type, subtype: subtype, count: count)
    }

    /// The only subscription of a customer in the sandbox.
    func subscription(of customer: String) async throws -> SubscriptionInfo {
        let subscriptions = try await send(GetCustomer(app: app, customer: customer)).subscriptions
        #expect(subscriptions.count == 1)
        return try #require(subscriptions.first)
    }

    /// Checks that the server refuses a request with a status, a code and a complete sentence.
    func expectRefusal(
        _ status: Int,
        _ code: String,
        of request: some ControlRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        do {
            _ = try await till.send(request)
            Issue.record("the request was accepted", sourceLocation: sourceLocation)
        } catch let failure as ControlFailure {
            let refusal = Refusal(failure.status, failure.error.code)
            #expect(refusal == Refusal(status, code), sourceLocation: sourceLocation)
            #expect(failure.error.message.hasSuffix("."), "\(failure)", sourceLocation: sourceLocation)
        }
    }

    /// Calls a function until it returns a value, for two minutes at most.
    func waitFor<Value: Sendable>(_ find: () async throws -> Value?) async throws -> Value {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if let value = try await find() { return value }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try #require(try await find(), "it did not happen within two minutes")
    }
}

/// A request with values that the types of the contract exclude, to check how the server refuses them.
struct InvalidRequest<Request: ControlRequest>: ControlRequest {
    typealias Answer = Request.Answer
    static var operation: ControlOperation { Request.operation }

    private let members: JSONTree

    /// A copy of a request with other values.
    init(_ request: Request, _ changes: KeyValuePairs<String, JSONTree>) throws {
        let kept = try JSONTree(encoding: request).members.filter { member in
            !changes.contains { $0.key == member.key }
        }
        members = .object(kept + changes.map { JSONTree.Member($0.key, $0.value) })
    }

    init(from decoder: any Decoder) throws { members = try JSONTree(from: decoder) }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
