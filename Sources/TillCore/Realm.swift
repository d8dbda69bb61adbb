/// One of the two disjoint data sets of a server. An id of one realm is unknown in the other (docs/api/transport.md).
package enum Realm: String, Codable, CaseIterable, Sendable {
    case production
    case sandbox

    /// The value of `environment` in payloads and answers.
    package var environment: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }
}
