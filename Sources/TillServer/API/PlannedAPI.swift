/// APIs of the App Store that Till does not serve yet, by the beginning of their paths (docs/api/index.md lists them).
struct PlannedAPI: Sendable {
    /// What the API is called, with its article where it has one.
    let name: String
    /// What all of its paths begin with.
    let prefix: String

    static let all = [
        PlannedAPI(name: "the customer groups of the App Store Server API", prefix: "/groups/v1/"),
        PlannedAPI(name: "the Retention Messaging API", prefix: "/inApps/v1/messaging/"),
        PlannedAPI(name: "the Advanced Commerce API", prefix: "/advancedCommerce/v1/"),
        PlannedAPI(name: "the External Purchase Server API", prefix: "/externalPurchase/v1/"),
    ]

    /// The API that a path belongs to; nil when it belongs to none of these.
    static func of(_ path: String) -> PlannedAPI? { all.first { "\(path)/".hasPrefix($0.prefix) } }
}
