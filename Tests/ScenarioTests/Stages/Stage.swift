import TillCore
import TillTesting

/// Where a scenario is played: the rules alone, a store, or a whole server behind its API.
///
/// A stage does what it is told and answers in wire values; it holds no expectation.
protocol Stage: AnyObject {
    /// Opens an account for a customer who has none.
    func open(_ customer: String, storefront: Storefront) async throws
    /// Lets a customer do something now. Throws `Refused` when the rules say no.
    func perform(_ act: Act, by customer: String) async throws
    /// Does a job in every account now, and waits for its end.
    func perform(_ task: Job.Work) async throws
    /// Changes or adds a product of the catalogue.
    func put(_ product: Product) async throws
    /// Lets time pass, with all that it brings.
    func advance(to instant: Timestamp) async throws
    /// Everything that was notified so far.
    func received() async throws -> [ReceivedNotification]
    /// A customer's transactions in the order of the history.
    func history(of customer: String) async throws -> [ReceivedTransaction]
    /// A customer's subscriptions as they stand now, in the order of their original ids.
    func subscriptions(of customer: String) async throws -> [ReceivedSubscription]
}

/// What a shop is opened with.
struct Opening: Sendable {
    var environment: StoreEnvironment
    var products: [Product]
    var policy: Policy
    var start: Timestamp
}

/// The stages that there are.
enum StageKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The rules alone, in memory.
    case core
    /// A shop on a SQLite file; what is told is read from what was signed.
    case sqlite
    /// The same shop on PostgreSQL.
    case postgres
    /// A shop behind sockets: Apple's routes on one, a listening post on another.
    case http

    /// Where every scenario is played.
    static let all: [StageKind] = [.core, .sqlite, .http]
    /// Where the acceptance scenarios are played. A database is dearer than a file, and every stage keeps one.
    static let everywhere = allCases

    var description: String { rawValue }

    func open(_ opening: Opening) async throws -> any Stage {
        switch self {
        case .core: RulesStage(opening)
        case .sqlite: try await ShopStage(opening, on: .sqlite)
        case .postgres: try await ShopStage(opening, on: .postgres)
        case .http: try await HTTPStage(opening)
        }
    }
}

/// What a customer, a developer or the operator does, with transactions named as on the wire.
enum Act: Sendable {
    case purchase(Purchase)
    case turnAutoRenewOff(String)
    case turnAutoRenewOn(String)
    case useCard(Card)
    case acceptPriceIncrease(String)
    case requestRefund(String, ConsumptionRequestReason)
    case reportConsumption(String, ConsumptionReport)
    case refund(String, Refund.Share, RevocationReason)
    case declineRefund(String)
    case reverseRefund(String)
    case extend(String, days: Int, request: String)
    case joinFamily(of: String)
    case leaveFamily
    case shareWithFamily(String, Bool)
    case setAskToBuy(Bool)
    case decideHeldPurchase(Int64, approved: Bool)
}

/// What the rules said no with: the name of the refusal, `already_subscribed`.
struct Refused: Error, Equatable, CustomStringConvertible {
    var code: String
    var explanation: String

    var description: String { "\(code): \(explanation)" }
}
