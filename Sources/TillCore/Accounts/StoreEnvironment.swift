/// One of the two environments of a server. Their data is separate: an id of one environment is unknown in the other
/// (docs/api/transport.md).
package enum StoreEnvironment: String, Codable, CaseIterable, Sendable {
    case production
    case sandbox

    /// The value of `environment` in payloads and responses.
    package var wireName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }
}
