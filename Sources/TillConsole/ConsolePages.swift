/// All pages. A new page needs a file in Pages, a template in Resources/Pages, an entry here and, if the navigation bar
/// shows it, an item below.
extension ConsolePage {
    static let all: [ConsolePage] = [
        overview, environment, customers, customer, transaction,
        catalog, product, faults, snapshots, keys,
        notifications, notification, requests, request, decoder, audit,
    ]
}

/// An item of the navigation bar.
struct NavigationItem: Sendable {
    let name: String
    /// The page's path.
    let path: String

    /// Whether the page shows one environment of an app.
    var isOfEnvironment: Bool { path.contains("{environment}") }

    static let all = [
        NavigationItem(name: "Overview", path: "/console/"),
        NavigationItem(name: "Requests", path: "/console/requests"),
        NavigationItem(name: "Faults", path: "/console/faults"),
        NavigationItem(name: "Snapshots", path: "/console/snapshots"),
        NavigationItem(name: "Keys and certificates", path: "/console/keys"),
        NavigationItem(name: "Audit log", path: "/console/audit"),
        NavigationItem(name: "Decoder", path: "/console/decoder"),
        NavigationItem(name: "Environment", path: "/console/apps/{bundleId}/{environment}/"),
        NavigationItem(name: "Customers", path: "/console/apps/{bundleId}/{environment}/customers"),
        NavigationItem(name: "Notifications", path: "/console/apps/{bundleId}/{environment}/notifications"),
        NavigationItem(name: "Catalog", path: "/console/apps/{bundleId}/{environment}/catalog"),
    ]
}
