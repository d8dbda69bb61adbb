/// The kind of a configuration document. There are few documents, they are small, and the server reads all of them at
/// start.
package enum DocumentKind: String, CaseIterable, Sendable {
    /// A team. The name is the issuer id.
    case team
    /// An app. The name is the bundle id.
    case app
    /// An API key or an offer key. The name of an API key is its key id; the name of an offer key is `bundle id/key
    /// id`, or its key id in older data.
    case key
    /// A catalog. The name is the bundle id of its app.
    case catalog
    /// The settings of an app's environment. The name is `environment/bundle id`.
    case rules
    /// A clock. The name is `environment/bundle id`, or `environment/bundle id#name` for a separate clock.
    case clock
    /// A job. The name is its id.
    case job
    /// The certificates of a chain that has signed notifications. The name is the id of the chain.
    case chain
    /// The OCSP status of a certificate. The name is the certificate's serial number.
    case revocation
    /// A fault rule. The name is its id.
    case fault
    /// A mark that old notifications of an app's environment were deleted. The name is `environment/bundle id`.
    case retention
    /// A control API token. The document contains the digest of the token, never the token itself.
    case token
    /// The values of the server itself, such as the key that encrypts cursors.
    case shop
}

/// A JSON document, identified by its kind and its name.
package struct Document: Equatable, Sendable {
    /// The kind of document. Writing a document of the same kind and name replaces the body.
    package var kind: DocumentKind
    /// The name, which is unique within the kind: an id, or a fixed name for the values of the server itself.
    package var name: String
    /// The bundle id of the app that the document belongs to. Deleting the app also deletes the document. Nil for a
    /// team, and for the values of the server itself.
    package var app: String?
    /// The content as JSON text in UTF-8.
    package var body: String

    /// A document with its content.
    package init(kind: DocumentKind, name: String, app: String? = nil, body: String) {
        self.kind = kind
        self.name = name
        self.app = app
        self.body = body
    }
}
