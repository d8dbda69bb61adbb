import TillCore
import TillTestSupport

/// A backend that returns data as the developer's server reads them, with Apple's field names and values.
protocol WireBackend: Backend {
    /// Returns all notifications so far.
    func received() async throws -> [ReceivedNotification]
    /// Returns a customer's transactions, in the order of the transaction history.
    func history(of customer: String) async throws -> [ReceivedTransaction]
    /// Returns a customer's subscriptions in their present state, in the order of their original transaction ids.
    func subscriptions(of customer: String) async throws -> [ReceivedSubscription]
}

/// The kinds of backends.
enum BackendKind: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The rules of TillCore alone, in memory.
    case core
    /// A shop with a SQLite database. Notifications are decoded from the signed data.
    case sqlite
    /// A shop with a PostgreSQL database.
    case postgres
    /// A shop behind the App Store Server API, with a webhook receiver on a socket.
    case http

    /// The backends on which every scenario runs.
    static let all: [BackendKind] = [.core, .sqlite, .http]
    /// The backends of the acceptance scenarios. PostgreSQL is slow, because every scenario needs its own database.
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
