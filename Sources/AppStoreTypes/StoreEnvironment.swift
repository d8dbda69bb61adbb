/// One of the two environments of a server. Their data is separate: an id of one environment is unknown in the other
/// (docs/api/transport.md).
public enum StoreEnvironment: String, Codable, CaseIterable, Sendable {
    case production
    case sandbox

    /// The value of `environment` in payloads and responses.
    public var wireName: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }
}
