import TillStorage

/// The reason why a reset, snapshot, restore, export or import was rejected. Nothing was changed.
package enum StateRefused: Error, Equatable, Sendable {
    /// The operator forbids erasing and replacing data.
    case forbidden
    /// The production guard demands a typed confirmation.
    case unconfirmed
    /// The production guard keeps notifications for a number of days, or forever (0).
    case kept(Int)
    case badName(String)
    case tooMany(Int)
    case unknownSnapshot(String, known: [String])
    case unknownApp(String, known: [String])
    /// Another app on this server uses numbers that are in the snapshot.
    case collides(ShopTable)
    /// An error in a file, and the line of the error.
    case badFile(line: Int, String)

    /// The error code for programs.
    package var code: String {
        switch self {
        case .forbidden: "reset_not_allowed"
        case .unconfirmed: "confirmation_required"
        case .kept: "production_guarded"
        case .badName: "bad_name"
        case .tooMany: "too_many_snapshots"
        case .unknownSnapshot: "unknown_snapshot"
        case .unknownApp: "unknown_app"
        case .collides: "numbers_in_use"
        case .badFile: "bad_state_file"
        }
    }

    /// The message for people: what is wrong and what to do.
    package var message: String {
        switch self {
        case .forbidden:
            "This server does not allow resets (allowReset is false). To allow them, start it with --allow-reset true."
        case .unconfirmed:
            "This server guards production data, and this operation erases or replaces it for good. To continue, give "
                + "confirm with the value \(Settings.confirmationText) (flag: --confirm \(Settings.confirmationText))."
        case .kept(let days):
            "This server guards production and keeps notifications "
                + (days == 0 ? "forever. Delete none." : "for \(days) days. Give days with at least \(days).")
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is not a valid snapshot name: use 1 to 64 letters, digits, dots, dashes "
                + "and underscores, beginning with a letter or digit."
        case .tooMany(let limit):
            "There are already \(limit) snapshots, the maximum. Delete some: till snapshot delete."
        case .unknownSnapshot(let name, let known):
            "There is no snapshot \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Save one: till snapshot create." : "Snapshots: \(known.joined(separator: ", ")).")
        case .unknownApp(let app, let known):
            "There is no app \(app.cut(toBytes: 155)). "
                + (known.isEmpty ? "Create one: till app create." : "Apps: \(known.joined(separator: ", ")).")
        case .collides(let table):
            "The \(table.rawValue) of this state have numbers or names that another app on this server uses. Import "
                + "the state into the server that exported it, or into an empty server (till reset --everything)."
        case .badFile(let line, let what):
            "Line \(line): \(what). Export the state again: till state export."
        }
    }
}
