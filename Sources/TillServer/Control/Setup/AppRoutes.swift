import Foundation
import TillControl
import TillCore
import TillShop

/// Operations on teams and apps.
extension ControlAPI {
    var appRoutes: [ControlRoute] {
        [
            ControlRoute(ListTeams.self) { _ in shop.registry.teams.map { TeamInfo($0) } },
            ControlRoute(CreateTeam.self) { call in
                try await shop.exclusively("set-up") {
                    TeamInfo(try await createTeam(named: call.name, id: call.issuerId))
                }
            },
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

    private func createTeam(named name: String, id text: String?) async throws -> Team {
        let id = try text.map { text in
            guard let id = UUIDText.canonical(text) else {
                throw ControlError.bad("bad_issuer_id", "An issuer id must be a UUID.", path: "$.issuerId")
            }
            return id
        }
        let issuerID = id ?? UUID().uuidString.lowercased()
        guard shop.registry.team(issuerID) == nil else {
            throw ControlError.conflict("team_exists", "A team \(issuerID) already exists.")
        }
        let team = Team(issuerID: issuerID, name: name, createdAt: shop.wallClock())
        try await shop.registry.put(team)
        return team
    }

    /// The team with an issuer id.
    func team(_ issuerID: String) throws -> Team {
        guard let team = UUIDText.canonical(issuerID).flatMap({ shop.registry.team($0) }) else {
            throw ControlError.notFound(
                "unknown_team",
                "There is no team \(issuerID.prefix(64)). List them with GET /v1/teams."
            )
        }
        return team
    }

    /// The team with an issuer id; without one, the only team, or a new team if there is none.
    func teamOrDefault(_ issuerID: String?) async throws -> Team {
        if let issuerID { return try team(issuerID) }
        let teams = shop.registry.teams
        if teams.count > 1 {
            throw ControlError.bad(
                "which_team",
                "There are \(teams.count) teams. Name one with issuerId (--issuer).",
                path: "$.issuerId"
            )
        }
        if let only = teams.first { return only }
        return try await createTeam(named: "Team", id: nil)
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

extension TeamInfo {
    init(_ team: Team) { self.init(issuerId: team.issuerID, name: team.name) }
}

extension AppInfo {
    init(_ app: AppRecord) {
        self.init(bundleId: app.bundleID, appAppleId: app.appleID, name: app.name, issuerId: app.issuerID)
    }
}
