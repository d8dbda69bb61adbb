import TillCore
import TillTestSupport

/// Where a scenario runs: the rules alone, a store, or a complete server behind its API.
/// A stage executes operations and answers in wire values; it has no expectations.
protocol Stage: AnyObject {
    /// Creates an account for a customer who has none.
    func open(_ customer: String, storefront: Storefront) async throws
    /// Runs a customer's operation now. Throws `Refused` when the rules refuse it.
    func perform(_ operation: StageOperation, by customer: String) async throws
    /// Runs a job in every account now, and waits for its end.
    func perform(_ task: Job.Work) async throws
    /// Changes or adds a product of the catalog.
    func put(_ product: Product) async throws
    /// Advances the time and processes everything that falls due.
    func advance(to instant: Timestamp) async throws
    /// All notifications so far.
    func received() async throws -> [ReceivedNotification]
    /// A customer's transactions in the order of the history.
    func history(of customer: String) async throws -> [ReceivedTransaction]
    /// A customer's subscriptions in their present state, in the order of their original ids.
    func subscriptions(of customer: String) async throws -> [ReceivedSubscription]
}

/// The settings with which a shop is opened.
struct StageSettings: Sendable {
    var environment: StoreEnvironment
    var products: [Product]
    var policy: Policy
    var start: Timestamp
}

/// The kinds of stages.
enum StageKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The rules alone, in memory.
    case core
    /// A shop on a SQLite file; notifications are read from the signed data.
    case sqlite
    /// The same shop on PostgreSQL.
    case postgres
    /// A shop behind sockets: Apple's routes on one, a listening post on another.
    case http

    /// The stages of every scenario.
    static let all: [StageKind] = [.core, .sqlite, .http]
    /// The stages of the acceptance scenarios. A database costs more than a file, and every stage needs one.
    static let everywhere = allCases

    var description: String { rawValue }

    func open(_ settings: StageSettings) async throws -> any Stage {
        switch self {
        case .core: RulesStage(settings)
        case .sqlite: try await ShopStage(settings, on: .sqlite)
        case .postgres: try await ShopStage(settings, on: .postgres)
        case .http: try await HTTPStage(settings)
        }
    }
}

/// An operation of a customer, a developer or the operator; transactions are named as on the wire.
enum StageOperation: Sendable {
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

/// The name of a refusal, such as `already_subscribed`.
struct Refused: Error, Equatable, CustomStringConvertible {
    var code: String
    var explanation: String

    var description: String { "\(code): \(explanation)" }
}
