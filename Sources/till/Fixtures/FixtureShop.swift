import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillServer
import TillShop
import TillSigning

/// One environment of the app of the fixtures. Its functions are the actions of the stories, and add files about what
/// the actions caused.
struct FixtureShop {
    let client: ControlClient
    let app: AppEnvironment
    let appleID: Int64
    /// The URL of the App Store Server API.
    let address: String
    let key: APIKeyPair
    let issuerID: String
    private(set) var files = FixtureSet()

    init(_ server: FixtureServer, _ info: AppInfo, _ environment: StoreEnvironment, _ key: APIKeyPair) {
        client = server.client
        app = AppEnvironment(info.bundleId, environment)
        appleID = info.appAppleId
        address = server.address(of: environment)
        issuerID = info.issuerId
        self.key = key
    }

    // MARK: Files

    /// A file of this environment, to be completed and added.
    func fixture(_ kind: Fixture.Kind, _ name: String, _ shows: String, folder: String? = nil, suffix: String? = nil)
        -> Fixture
    {
        let folder = folder.map { "\($0)/" } ?? ""
        return Fixture(
            file: "\(app.environment.rawValue)/\(folder)\(kind.folder)/\(name).\(suffix ?? kind.suffix)",
            kind: kind,
            environment: app.environment.wireName,
            bundleId: app.bundleId,
            appAppleId: appleID,
            shows: shows
        )
    }

    mutating func add(_ fixture: Fixture, _ text: String) throws { try files.add(fixture, Array(text.utf8)) }

    /// Adds valid signed data.
    mutating func addSigned(_ kind: Fixture.Kind, _ name: String, _ jws: String?, _ shows: String) throws {
        guard let jws else { throw CommandRefused("There is no signed data for the fixture \(name).") }
        var fixture = fixture(kind, name, shows)
        fixture.isAccepted = true
        fixture.complete(with: jws)
        try add(fixture, jws)
    }

    /// Adds a transaction as it is now.
    mutating func addTransaction(_ name: String, _ id: String, _ shows: String) async throws {
        let info = try await client.send(GetTransaction(app: app, transactionId: id, include: [.signed]))
        try addSigned(.transaction, name, info.signedTransactionInfo, shows)
    }

    /// Adds the renewal info of a subscription as it is now.
    mutating func addRenewalInfo(_ name: String, _ id: String, _ shows: String) async throws {
        let info = try await client.send(GetSubscription(app: app, originalTransactionId: id, include: [.signed]))
        try addSigned(.renewalInfo, name, info.signedRenewalInfo, shows)
    }

    // MARK: Actions

    /// A purchase. A new customer has a clock of their own, which starts at `FixtureServer.start`.
    ///
    /// - Returns: the transaction id.
    func buy(_ product: String, by customer: String, _ offer: OfferToApply? = nil) async throws -> String {
        try await buy(request(product, by: customer, offer))
    }

    func buy(_ request: BuyProduct) async throws -> String {
        let bought = try await client.send(request)
        guard let transaction = bought.transaction else {
            throw CommandRefused("\(request.customer) could not buy \(request.productId).")
        }
        return transaction.transactionId
    }

    func request(_ product: String, by customer: String, _ offer: OfferToApply? = nil) -> BuyProduct {
        BuyProduct(app: app, customer: customer, productId: id(product), offer: offer)
    }

    /// Creates a customer with a clock.
    func create(_ customer: String) async throws {
        let request = CreateCustomer(app: app, customer: customer, newClock: FixtureServer.start)
        _ = try await client.send(request)
    }

    /// A change to another product, or an offer for the current product.
    ///
    /// - Returns: the id of the transaction that is the current one then.
    @discardableResult
    func change(_ subscription: String, to product: String, _ offer: OfferToApply? = nil) async throws -> String {
        let request = ChangeSubscription(
            app: app,
            originalTransactionId: subscription,
            productId: id(product),
            offer: offer
        )
        return try await client.send(request).transaction?.transactionId ?? subscription
    }

    func cancel(_ subscription: String) async throws {
        _ = try await client.send(CancelSubscription(app: app, originalTransactionId: subscription))
    }

    func refund(_ id: String, _ share: RefundShare = .full, percentage: Int? = nil) async throws {
        _ = try await client.send(
            RefundTransaction(app: app, transactionId: id, share: share, percentage: percentage, reason: .issueInApp)
        )
    }

    func setCard(_ card: Card, of customer: String) async throws {
        _ = try await client.send(UpdateCustomer(app: app, customer: customer, card: card))
    }

    func setGrace(days: Int) async throws {
        _ = try await client.send(UpdateSettings(app: app, grace: GracePeriodInfo(days: days, coverage: .allRenewals)))
    }

    /// Advances the clock of a customer.
    func advance(_ customer: String, days: Int) async throws {
        _ = try await client.send(AdvanceClock(app: app, clock: customer, by: "P\(days)D"))
    }

    /// The id of the latest transaction of a subscription.
    func latest(of subscription: String) async throws -> String {
        try await client.send(GetSubscription(app: app, originalTransactionId: subscription)).transactionId
    }

    func id(_ product: String) -> String { "\(app.bundleId).\(product)" }

    /// A promotional offer, with the app's signature.
    func promotional(_ offer: String, of product: String) throws -> OfferToApply {
        let token = try key.sign(
            claims(
                audience: "promotional-offer",
                [
                    .init("nonce", .string(UUID().uuidString.lowercased())), .init("productId", .string(id(product))),
                    .init("offerIdentifier", .string(offer)),
                ]
            )
        )
        return OfferToApply(kind: .promotional, id: offer, token: token)
    }

    // MARK: The App Store Server API

    private func claims(audience: String, _ more: [JSONTree.Member] = []) -> [UInt8] {
        let now = FixtureServer.start.milliseconds / 1_000
        let claims: [JSONTree.Member] = [
            .init("iss", .string(issuerID)), .init("iat", .number("\(now)")), .init("exp", .number("\(now + 900)")),
            .init("aud", .string(audience)), .init("bid", .string(app.bundleId)),
        ]
        return JSONTree.object(claims + more).compact
    }

    /// The answer of the App Store Server API, or of verifyReceipt.
    struct Answer {
        let status: Int
        let retryAfter: String?
        let body: [UInt8]
    }

    func get(_ path: String, isAuthorized: Bool = true) async throws -> Answer {
        var request = HTTPClientRequest(url: address + path)
        if isAuthorized {
            let token = try key.sign(claims(audience: "appstoreconnect-v1"))
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        return try await send(request)
    }

    func send(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await WebClient.http.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 16 << 20)
        return Answer(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "Retry-After"),
            body: Array(buffer: body)
        )
    }
}
