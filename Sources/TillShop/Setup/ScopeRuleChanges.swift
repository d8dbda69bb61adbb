import TillCore
import TillStorage

/// The operator's choices for an environment of an app.
extension Shop {
    /// Changes the rules of an app's environment. Changes of one environment wait for each other. What is owed to an
    /// endpoint that is no more is forgotten.
    @discardableResult
    package func updateRules(
        of scope: AccountScope,
        _ change: @Sendable (inout ScopeRules) throws -> Void
    ) async throws -> ScopeRules {
        try await exclusively("rules/\(scope.environment.rawValue)/\(scope.app)") {
            let before = registry.rules(of: scope)
            var rules = before
            try change(&rules)
            guard rules != before else { return rules }
            try await registry.put(rules, of: scope)
            let targets = rules.endpoints + rules.endpoints.compactMap(\.forTests)
            for gone in before.endpoints + before.endpoints.compactMap(\.forTests)
            // What is due to an endpoint of version 2 is not sent once it is one of version 1.
            where !targets.contains(where: { $0.key == gone.key && $0.takesOnlyTests == gone.takesOnlyTests }) {
                try await storage.dropDeliveries(to: gone.key, in: scope)
            }
            return rules
        }
    }
}
