/// One of the two disjoint data sets of a server. An id of one environment is unknown in the other
/// (docs/api/transport.md).
package enum StoreEnvironment: String, Codable, CaseIterable, Sendable {
    case production
    case sandbox

    /// The value of `environment` in payloads and answers.
    package var wireName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }
}
