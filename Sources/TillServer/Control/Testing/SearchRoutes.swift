import TillControl
import TillCore
import TillShop
import TillStorage

/// The search over all data that the caller may read.
extension ControlAPI {
    var searchRoutes: [ControlRoute] {
        [
            ControlRoute(Search.self, selectsByCaller: true) { call in
                let scopes = try searchedScopes(call)
                let search = SearchRun(
                    shop: shop,
                    value: try Self.searchValue(call.value),
                    scopes: scopes,
                    environments: call.environment.map { [$0] } ?? StoreEnvironment.allCases,
                    isOfAllApps: Principal.current?.app == nil && call.bundleId == nil,
                    limit: call.limit ?? 50
                )
                return try await search.page(after: try ControlError.position(call.after, count: 2))
            }
        ]
    }

    /// The environments of the apps that the caller may read, in a fixed order.
    private func searchedScopes(_ call: ControlCall<Search>) throws -> [AccountScope] {
        let only = Principal.current?.app
        if let bundleId = call.bundleId {
            try Principal.current?.check(.read, for: Search.operationID, of: bundleId)
            _ = try call.exchange.app(bundleId)
        }
        let apps = shop.registry.apps.map(\.bundleID).filter { app in
            (only == nil || app == only) && (call.bundleId == nil || app == call.bundleId)
        }
        return apps.sorted().flatMap { app in
            StoreEnvironment.allCases.filter { call.environment == nil || $0 == call.environment }
                .map { AccountScope(environment: $0, app: app) }
        }
    }

    private static func searchValue(_ text: String) throws(ControlError) -> String {
        let characters = text.unicodeScalars
        let isSpace = { (character: Unicode.Scalar) in character.properties.isWhitespace }
        let value = String(
            String.UnicodeScalarView(
                characters.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
            )
        )
        let hasControl = value.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...SearchRun.maxLength).contains(value.utf8.count), !hasControl else {
            throw ControlError.bad(
                "bad_search",
                "value must have 1 to \(SearchRun.maxLength) bytes without control characters.",
                path: "value"
            )
        }
        return value
    }
}
