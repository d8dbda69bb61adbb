/// An API of the App Store that Till does not serve yet, with its path prefix (docs/api/index.md lists them).
struct PlannedAPI: Sendable {
    /// The name of the API in a sentence, with an article where the sentence needs one.
    let name: String
    /// The path prefix of its endpoints.
    let prefix: String

    static let all = [
        PlannedAPI(name: "the customer groups of the App Store Server API", prefix: "/groups/v1/"),
        PlannedAPI(name: "the Retention Messaging API", prefix: "/inApps/v1/messaging/"),
        PlannedAPI(name: "the Advanced Commerce API", prefix: "/advancedCommerce/v1/"),
        PlannedAPI(name: "the External Purchase Server API", prefix: "/externalPurchase/v1/"),
    ]

    /// The planned API that a path belongs to; nil for other paths.
    static func of(_ path: String) -> PlannedAPI? { all.first { "\(path)/".hasPrefix($0.prefix) } }
}
