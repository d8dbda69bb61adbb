/// What an operation may do to production data on a server with the production guard
/// (docs/operating/production-guard.md).
public enum ProductionEffect: String, CaseIterable, Sendable {
    /// The operation only reads.
    case none
    /// The operation may change production data. The guard permits it.
    case changes
    /// The operation moves a clock. The guard refuses it for production.
    case movesClock
    /// The operation erases or replaces all data. The guard demands a typed confirmation.
    case replaces
}

/// A request that erases or replaces all data of an app, or of the whole server.
public protocol ReplacingRequest: ControlCallable {
    /// The typed confirmation: `production`. A server with the production guard requires it.
    var confirm: String? { get }
}

/// A request that moves a clock. A server with the production guard refuses it for production, except a return to real
/// time.
public protocol ClockMovingRequest: EnvironmentRequest {}

extension ControlCallable {
    /// What the operation may do to production data on a server with the production guard.
    public static var productionEffect: ProductionEffect {
        if self is any ReplacingRequest.Type { return .replaces }
        if self is any ClockMovingRequest.Type { return .movesClock }
        return operation.method == .get ? .none : .changes
    }

    /// Whether the operation deletes data that no other operation restores. The console and the command ask before
    /// such an operation.
    public static var isIrreversible: Bool {
        operation.method == .delete || productionEffect == .replaces
    }
}
