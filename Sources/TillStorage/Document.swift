/// The operator's configuration is stored as documents: few, small, and all read at start.
package enum DocumentKind: String, CaseIterable, Sendable {
    /// A team, by its issuer id.
    case team
    /// An app, by its bundle id.
    case app
    /// A key: an API key by its key id; an offer key by `bundle id/key id`, in older data by its key id.
    case key
    /// A catalog, by the bundle id of its app.
    case catalog
    /// The settings of an app's environment, by `environment/bundle id`.
    case rules
    /// A clock, by `environment/bundle id`, or `environment/bundle id#name` for a separate clock.
    case clock
    /// A job, by its id.
    case job
    /// The certificates of a chain that has signed notifications, by the chain's id.
    case chain
    /// The OCSP status of a certificate, by its serial number.
    case revocation
    /// A fault rule, by its id.
    case fault
    /// A mark that old notifications of an app's environment were deleted, by `environment/bundle id`.
    case retention
    /// A control API token, by its name: its digest, never the token.
    case token
    /// Values of the shop itself, such as the key that seals cursors.
    case shop
}

/// A document: a JSON text under a kind and a name.
package struct Document: Equatable, Sendable {
    /// Kind and name together are the key: writing the same two replaces the body.
    package let kind: DocumentKind
    /// Unique within the kind: an id, or a fixed name for the shop's own values.
    package let name: String
    /// The bundle id of the app that the document belongs to and is deleted with; nil for a team's or the shop's.
    package let app: String?
    /// JSON, UTF-8.
    package let body: String

    /// A document with its text.
    package init(kind: DocumentKind, name: String, app: String? = nil, body: String) {
        self.kind = kind
        self.name = name
        self.app = app
        self.body = body
    }
}
