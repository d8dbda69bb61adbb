import TillControl
import TillShop

/// Operations on apps.
extension ControlAPI {
    var appRoutes: [ControlRoute] {
        [
            ControlRoute(ListApps.self, selectsByCaller: true) { _ in
                let only = Principal.current?.app
                return shop.registry.apps.filter { only == nil || $0.bundleID == only }.map { AppInfo($0) }
            },
            ControlRoute(CreateApp.self) { call in
                try await shop.exclusively("set-up") { AppInfo(try await createApp(call.request)) }
            },
            ControlRoute(GetApp.self) { AppInfo(try $0.app()) },
        ]
    }

    private func createApp(_ request: CreateApp) async throws -> AppRecord {
        let bundleID = request.bundleId
        guard AppRecord.canBeNamed(bundleID) else {
            throw ControlError.bad(
                "bad_bundle_id",
                "A bundle identifier must begin with a letter or digit. Allowed: 155 letters, digits, dots and dashes.",
                path: "$.bundleId"
            )
        }
        guard shop.registry.app(bundleID) == nil else {
            throw ControlError.conflict("app_exists", "An app \(bundleID) already exists.")
        }
        let taken = Set(shop.registry.apps.map(\.appleID))
        let appleID = request.appAppleId ?? (taken.max().map { $0 + 1 } ?? 1_000_000_001)
        guard !taken.contains(appleID) else {
            throw ControlError.conflict("apple_id_taken", "Another app has the Apple id \(appleID).")
        }
        let app = AppRecord(
            bundleID: bundleID,
            appleID: appleID,
            name: request.name ?? bundleID,
            issuerID: try await teamOrDefault(request.issuerId).issuerID,
            createdAt: shop.wallClock()
        )
        try await shop.registry.put(app)
        return app
    }
}

extension AppInfo {
    init(_ app: AppRecord) {
        self.init(bundleId: app.bundleID, appAppleId: app.appleID, name: app.name, issuerId: app.issuerID)
    }
}
