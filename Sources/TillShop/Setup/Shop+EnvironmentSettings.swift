import TillCore
import TillStorage

/// The settings of an app's environment.
extension Shop {
    /// Changes the settings of an app's environment, one change at a time. Discards pending deliveries to endpoints
    /// that were removed.
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
            // Deliveries for version 2 are not sent to an endpoint that was changed to version 1.
            where !targets.contains(where: { $0.key == gone.key && $0.takesOnlyTests == gone.takesOnlyTests }) {
                try await storage.dropDeliveries(to: gone.key, in: scope)
            }
            return rules
        }
    }
}
