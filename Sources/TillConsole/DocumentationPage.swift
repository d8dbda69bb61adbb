/// A page of Till's documentation.
struct DocumentationPage: Sendable {
    /// The path in the folder docs, without `.md`.
    let path: String
    /// The heading of the page.
    let name: String

    init(_ path: String, _ name: String) { (self.path, self.name) = (path, name) }

    static let console = Self("console", "The console")
    static let catalog = Self("catalog", "The catalog")
    static let errors = Self("api/errors", "Errors")
    static let families = Self("api/families", "Families")
    static let lifecycle = Self("api/lifecycle", "Subscription lifecycle")
    static let notifications = Self("api/notifications", "Notifications")
    static let ocsp = Self("api/ocsp", "OCSP")
    static let offers = Self("api/offers", "Offers")
    static let payloads = Self("api/payloads", "Payloads")
    static let refunds = Self("api/refunds", "Refunds")
    static let signedData = Self("api/signed-data", "Signed data")
    static let importing = Self("client/import", "Importing customers")
    static let audit = Self("control/audit", "Audit log")
    static let control = Self("control/index", "Control API")
    static let operations = Self("control/operations", "Operations on subscriptions and purchases")
    static let time = Self("control/time", "Clocks, environment settings, jobs and notifications")
    static let backend = Self("operating/bring-your-backend", "Run an unchanged backend")
    static let explain = Self("operating/explain", "Why a request was refused")
    static let faults = Self("operating/faults", "Faults")
    static let operating = Self("operating/index", "Operating Till")
    static let snapshots = Self("operating/reset-and-snapshots", "Reset and snapshots")

    /// The link of the page, or its file if the server does not know an address of the documentation.
    ///
    /// - Parameter site: the address of a site that `make docs` built.
    func value(at site: String?) -> PageValue {
        // The site has a folder for each page, and the index of a folder has the folder's address.
        let folder = path.hasSuffix("index") ? String(path.dropLast("index".count)) : "\(path)/"
        return ["name": name, "link": site.map { "\($0)/\(folder)" }, "file": "docs/\(path).md"]
    }
}
