/// What the operator set up is kept as documents: few, small, read whole at the start.
package enum DocumentKind: String, CaseIterable, Sendable {
    /// A team, by its issuer id.
    case team
    /// An app, by its bundle id.
    case app
    /// A key: an API key by its key id, one for an app's offers by `bundle id/key id`, or in older data by its key id.
    case key
    /// A catalogue, by the bundle id of its app.
    case catalog
    /// The choices of an app's environment, by `environment/bundle id`.
    case rules
    /// A clock, by `environment/bundle id`, and `environment/bundle id#name` for those of single customers.
    case clock
    /// A job, by its id.
    case job
    /// The certificates of a chain that has signed notifications, by the chain's id.
    case chain
    /// What the OCSP responder says of a certificate, by its serial number.
    case revocation
    /// A fault rule, by its id.
    case fault
    /// That old notifications of an app's environment were removed, by `environment/bundle id`.
    case retention
    /// A named token of control, by its name: its digest, never the token.
    case token
    /// Values of the shop itself, such as the key under which cursors are sealed.
    case shop
}

/// A document: a JSON text under a kind and a name.
package struct Document: Equatable, Sendable {
    /// Kind and name together are the key: writing the same two replaces the body.
    package let kind: DocumentKind
    /// Unique within the kind: an id, or a word for what is the shop's own.
    package let name: String
    /// The bundle id of the app that it belongs to, and with which it goes; nil for what is the team's or the shop's.
    package let app: String?
    /// JSON, UTF-8.
    package let body: String

    /// A document as it is written.
    package init(kind: DocumentKind, name: String, app: String? = nil, body: String) {
        self.kind = kind
        self.name = name
        self.app = app
        self.body = body
    }
}
