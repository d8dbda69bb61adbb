import TillCore
import TillTestSupport

/// A backend that answers in wire values, as the developer's server reads them.
protocol WireBackend: Backend {
    /// All notifications so far.
    func received() async throws -> [ReceivedNotification]
    /// A customer's transactions in the order of the history.
    func history(of customer: String) async throws -> [ReceivedTransaction]
    /// A customer's subscriptions in their present state, in the order of their original ids.
    func subscriptions(of customer: String) async throws -> [ReceivedSubscription]
}

/// The kinds of backends.
enum BackendKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The rules alone, in memory.
    case core
    /// A shop on a SQLite file; notifications are read from the signed data.
    case sqlite
    /// The same shop on PostgreSQL.
    case postgres
    /// A shop behind sockets: Apple's routes on one, a webhook receiver on another.
    case http

    /// The backends of every scenario.
    static let all: [BackendKind] = [.core, .sqlite, .http]
    /// The backends of the acceptance scenarios. A database costs more than a file, and every scenario needs one.
    static let everywhere = allCases

    var description: String { rawValue }

    func open(_ settings: BackendSettings) async throws -> any WireBackend {
        switch self {
        case .core: CoreBackend(settings)
        case .sqlite: try await ShopBackend(settings, on: .sqlite)
        case .postgres: try await ShopBackend(settings, on: .postgres)
        case .http: try await HTTPBackend(settings)
        }
    }
}
