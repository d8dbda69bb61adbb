import Foundation
import TillControl
import TillCore
import TillShop

/// Operations on teams.
extension ControlAPI {
    var teamRoutes: [ControlRoute] {
        [
            ControlRoute(ListTeams.self) { _ in shop.registry.teams.map { TeamInfo($0) } },
            ControlRoute(CreateTeam.self) { call in
                try await shop.exclusively("set-up") {
                    TeamInfo(try await createTeam(named: call.name, id: call.issuerId))
                }
            },
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
}

extension TeamInfo {
    init(_ team: Team) { self.init(issuerId: team.issuerID, name: team.name) }
}
