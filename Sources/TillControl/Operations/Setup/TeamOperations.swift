/// Lists all teams.
public struct ListTeams: ControlRequest {
    public typealias Answer = [TeamInfo]
    public static let operation = ControlOperation(.get, "/v1/teams", tag: .setup)

    public init() {}
}

/// Creates a team.
public struct CreateTeam: ControlRequest {
    public typealias Answer = TeamInfo
    public static let operation = ControlOperation(.post, "/v1/teams", tag: .setup, status: 201)
    public static let limits = [ControlLimit.format(CodingKeys.issuerId, "uuid")]

    /// The team's name.
    public var name: String
    /// The issuer id, a UUID; by default a new one.
    public var issuerId: String?

    public init(name: String, issuerId: String? = nil) {
        self.name = name
        self.issuerId = issuerId
    }
}

/// A team.
public struct TeamInfo: ControlObject {
    public static let limits = [ControlLimit.format(CodingKeys.issuerId, "uuid")]

    /// The issuer id, a UUID in lower case.
    public var issuerId: String
    /// The team's name.
    public var name: String

    public init(issuerId: String, name: String) {
        self.issuerId = issuerId
        self.name = name
    }
}
