import TillCore
import TillStorage

/// Changes the settings of an app's environment.
extension Shop {
    /// Changes the settings of an app's environment and discards pending deliveries to removed endpoints. Only one
    /// change runs at a time.
    @discardableResult
    package func updateRules(
        of scope: AccountScope,
        _ change: @Sendable (inout EnvironmentSettings) throws -> Void
    ) async throws -> EnvironmentSettings {
        try await exclusively("rules/\(scope.environment.rawValue)/\(scope.app)") {
            let before = registry.rules(of: scope)
            var rules = before
            try change(&rules)
            guard rules != before else { return rules }
            try await registry.put(rules, of: scope)
            let targets = rules.endpoints + rules.endpoints.compactMap(\.forTests)
            for gone in before.endpoints + before.endpoints.compactMap(\.forTests)
            // Also discards version 2 deliveries to an endpoint that was changed to version 1.
            where !targets.contains(where: { $0.key == gone.key && $0.takesOnlyTests == gone.takesOnlyTests }) {
                try await storage.dropDeliveries(to: gone.key, in: scope)
            }
            // The change may allow pending deliveries.
            checkAllClocks(of: scope)
            return rules
        }
    }
}
