import Foundation
import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Operations on teams, apps and API keys.
extension ControlAPI {
    private static let team = Schema.object(
        "A team.",
        [
            Schema.required("issuerId", .string("The issuer id, a UUID in lower case.", format: "uuid")),
            Schema.required("name", .string("The team's name.")),
        ]
    )

    var teamRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/teams",
                id: "listTeams",
                tag: "teams",
                summary: "Lists all teams.",
                response: .object("Teams.", [Schema.required("teams", .array("All teams.", of: Self.team))])
            ) { _ in
                var json = JSONWriter()
                json.put("teams", objects: shop.registry.teams.map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/teams",
                id: "createTeam",
                tag: "teams",
                summary: "Creates a team.",
                request: .object(
                    "The team to create.",
                    [
                        Schema.required("name", .string("The team's name.")),
                        Schema.optional(
                            "issuerId",
                            .string("The issuer id, a UUID; by default a new one.", format: "uuid")
                        ),
                    ]
                ),
                response: Self.team,
                status: .created
            ) { exchange in
                let team = try await madeTeam(
                    named: exchange.body.text("name") ?? "",
                    id: exchange.body.text("issuerId")
                )
                return Self.json(team)
            },
        ]
    }

    private func madeTeam(named name: String, id: String?) async throws -> Team {
        try await shop.exclusively("set-up") { try await newTeam(named: name, id: id) }
    }

    private func newTeam(named name: String, id text: String?) async throws -> Team {
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

    /// The team that the body names; otherwise the only team, or a new team if there is none.
    private func team(of body: ControlBody) async throws -> Team {
        if let id = body.text("issuerId") {
            guard let team = UUIDText.canonical(id).flatMap({ shop.registry.team($0) }) else {
                throw ControlError.notFound(
                    "unknown_team",
                    "There is no team \(id.prefix(64)). List them with GET /v1/teams."
                )
            }
            return team
        }
        let teams = shop.registry.teams
        if teams.count > 1 {
            throw ControlError.bad(
                "which_team",
                "There are \(teams.count) teams. Name one with issuerId (--issuer).",
                path: "$.issuerId"
            )
        }
        if let only = teams.first { return only }
        return try await newTeam(named: "Team", id: nil)
    }

    private static func json(_ team: Team) -> [UInt8] {
        var json = JSONWriter()
        json.put("issuerId", team.issuerID)
        json.put("name", team.name)
        return json.finish()
    }

    // MARK: Apps

    private static let app = Schema.object(
        "An app.",
        [
            Schema.required("bundleId", .string("The bundle identifier.")),
            Schema.required("appAppleId", .integer("The app's Apple ID.")),
            Schema.required("name", .string("The app's name.")),
            Schema.required("issuerId", .string("The issuer id of the app's team.")),
        ]
    )

    var appRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps",
                id: "listApps",
                tag: "apps",
                summary: "Lists all apps.",
                response: .object("Apps.", [Schema.required("apps", .array("All apps.", of: Self.app))])
            ) { _ in
                var json = JSONWriter()
                json.put("apps", objects: shop.registry.apps.map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps",
                id: "createApp",
                tag: "apps",
                summary: "Creates an app, and a team if there is none.",
                request: .object(
                    "The app to create.",
                    [
                        Schema.required(
                            "bundleId",
                            .string(
                                "At most 155 letters, digits, dots and dashes, beginning with a letter or digit."
                            )
                        ),
                        Schema.optional(
                            "appAppleId",
                            .integer("The app's Apple ID; by default the next free one.", 1...9_999_999_999)
                        ),
                        Schema.optional("name", .string("The app's name.")),
                        Schema.optional(
                            "issuerId",
                            .string("The issuer id of the team; required if there are several teams.")
                        ),
                    ]
                ),
                response: Self.app,
                status: .created
            ) { exchange in
                try await shop.exclusively("set-up") { try await createApp(exchange) }
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}",
                id: "getApp",
                tag: "apps",
                summary: "Shows one app.",
                response: Self.app
            ) { Self.json(try $0.app()) },
        ]
    }

    private func createApp(_ exchange: ControlExchange) async throws -> [UInt8] {
        let bundleID = exchange.body.text("bundleId") ?? ""
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
        let appleID = exchange.body.number("appAppleId") ?? (taken.max().map { $0 + 1 } ?? 1_000_000_001)
        guard !taken.contains(appleID) else {
            throw ControlError.conflict("apple_id_taken", "Another app has the Apple id \(appleID).")
        }
        let app = AppRecord(
            bundleID: bundleID,
            appleID: appleID,
            name: exchange.body.text("name") ?? bundleID,
            issuerID: try await team(of: exchange.body).issuerID,
            createdAt: shop.wallClock()
        )
        try await shop.registry.put(app)
        return Self.json(app)
    }

    private static func json(_ app: AppRecord) -> [UInt8] {
        var json = JSONWriter()
        json.put("bundleId", app.bundleID)
        json.put("appAppleId", app.appleID)
        json.put("name", app.name)
        json.put("issuerId", app.issuerID)
        return json.finish()
    }

    // MARK: Keys

    private static let keyProperties: [Schema.Property] = [
        Schema.required("keyId", .string("The key id: the `kid` in the header of a token.")),
        Schema.required("issuerId", .string("The issuer id of the key's team.")),
        Schema.required("name", .string("The purpose of the key.")),
        Schema.optional("offersOf", .string("The app whose offers the key signs; absent for a key of the API.")),
        Schema.optional("revokedDate", .integer("The revocation date, in milliseconds since 1970.")),
    ]

    var keyRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/keys",
                id: "listKeys",
                tag: "keys",
                summary: "Lists all API keys, without their private keys, which Till does not store.",
                response: .object(
                    "Keys.",
                    [Schema.required("keys", .array("All keys.", of: .object("A key.", Self.keyProperties)))]
                )
            ) { _ in
                var json = JSONWriter()
                json.put("keys", objects: shop.registry.keys.map { Self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/keys",
                id: "createKey",
                tag: "keys",
                summary: "Creates an API key. Only this answer contains the private key.",
                request: .object(
                    "The key to create.",
                    [
                        Schema.optional("name", .string("The purpose of the key.")),
                        Schema.optional(
                            "issuerId",
                            .string("The issuer id of the team; required if there are several teams.")
                        ),
                    ]
                ),
                response: .object(
                    "The key.",
                    Self.keyProperties + [
                        Schema.required("privateKey", .string("The private key in PEM, the content of a .p8 file."))
                    ]
                ),
                status: .created
            ) { exchange in
                let team = try await team(of: exchange.body)
                let (record, secret) = try await shop.makeKey(
                    named: exchange.body.text("name") ?? "key",
                    issuerID: team.issuerID
                )
                return Self.json(record, privateKey: secret)
            },
            ControlRoute(
                method: .post,
                path: "/v1/keys/{keyId}/revoke",
                id: "revokeKey",
                tag: "keys",
                summary: "Revokes a key permanently.",
                request: .object(
                    "Which key to revoke, if the key id is not unique.",
                    [
                        Schema.optional(
                            "bundleId",
                            .string(
                                "The app whose offers the key signs; required if several apps have a key with this id."
                            )
                        )
                    ]
                ),
                response: .object("The key.", Self.keyProperties)
            ) { exchange in
                var record = try key(exchange.parameter("keyId"), of: exchange.body.text("bundleId"))
                record.revokedAt = record.revokedAt ?? shop.wallClock()
                try await shop.registry.put(record)
                return Self.json(record)
            },
        ]
    }

    /// The key with an id and, if an app is given, for this app's offers.
    private func key(_ id: String, of bundleID: String?) throws -> KeyRecord {
        let known = shop.registry.keys(id).map(\.record).filter { bundleID == nil || $0.offersOf == bundleID }
        guard let record = known.first else {
            let app = bundleID.map { " that signs offers of \($0.prefix(128))" } ?? ""
            throw ControlError.notFound(
                "unknown_key",
                "There is no key \(id.prefix(64))\(app). List them with till key list."
            )
        }
        guard known.count == 1 else {
            throw ControlError.conflict(
                "ambiguous_key",
                "Key \(id.prefix(64)) signs offers of \(known.compactMap(\.offersOf).joined(separator: ", ")). "
                    + "Name the app, as bundleId or with till key revoke --app."
            )
        }
        return record
    }

    private static func json(_ key: KeyRecord, privateKey: Secret? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.put("keyId", key.id)
        json.put("issuerId", key.issuerID)
        json.put("name", key.name)
        json.put("offersOf", key.offersOf)
        json.put("revokedDate", key.revokedAt)
        json.put("privateKey", privateKey?.exposed)
        return json.finish()
    }
}
