/// All pages. A new one is a file under Pages, a template under Resources, and a line here; the list below names the
/// places in the bar that a page may have.
extension ConsolePage {
    static let all: [ConsolePage] = [
        overview, environment, customers, customer, transaction,
        catalog, product, faults, snapshots, keys,
        notifications, notification, requests, request, decoder,
    ]
}

/// A place in the bar at the top. One whose page there is not yet is not shown.
struct Place: Sendable {
    let name: String
    /// The page's path.
    let path: String

    /// Whether it is about one environment of an app.
    var isOfEnvironment: Bool { path.contains("{environment}") }

    static let all = [
        Place(name: "Overview", path: "/console/"),
        Place(name: "Requests", path: "/console/requests"),
        Place(name: "Faults", path: "/console/faults"),
        Place(name: "Snapshots", path: "/console/snapshots"),
        Place(name: "Keys and certificates", path: "/console/keys"),
        Place(name: "Decoder", path: "/console/decoder"),
        Place(name: "Realm", path: "/console/apps/{bundleId}/{environment}/"),
        Place(name: "Customers", path: "/console/apps/{bundleId}/{environment}/customers"),
        Place(name: "Notifications", path: "/console/apps/{bundleId}/{environment}/notifications"),
        Place(name: "Catalogue", path: "/console/apps/{bundleId}/{environment}/catalog"),
    ]
}
