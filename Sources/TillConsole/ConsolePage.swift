import TillControl
import TillServer
import TillShop

/// A page of the console: its path, template and content.
struct ConsolePage: Sendable {
    /// The URL path, with `{name}` for each parameter.
    let path: String
    let template: Template
    /// Whether the page accepts forms at its own path, like the decoder. It does not store their data.
    var takesForms = false
    /// Loads the page's current content.
    let content: @Sendable (PageRequest) async throws -> PageContent

    /// The parameters in a path of this page; nil for the path of another page.
    func parameters(of path: [String]) -> [String: String]? {
        let parts = self.path.split(separator: "/")
        guard parts.count == path.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(parts, path) {
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = text
            } else if part != text {
                return nil
            }
        }
        return parameters
    }
}

/// The content of a page.
struct PageContent: Sendable {
    /// The heading and window title.
    var title: String
    /// The values for the template.
    var values: [String: PageValue]

    init(_ title: String, _ values: [String: PageValue]) {
        self.title = title
        self.values = values
    }
}

/// A request for a page.
struct PageRequest: Sendable {
    let control: ControlCaller
    /// The shop, for data that no control operation returns.
    let shop: Shop
    /// The parameters in the path.
    let parameters: [String: String]
    let query: [(name: String, value: String)]
    /// The page's path and query. The result of an action is shown on this page.
    let address: String
    /// The CSRF token for forms.
    let proof: String
    /// Unique for each rendering of the page, so that a form sent twice runs once.
    let once: String
    /// The rejected form, which keeps the entered values; nil without one.
    let refused: RefusedForm?
    /// The form sent to the page itself; nil for GET.
    let form: FormData?
    /// The paths of all pages.
    let known: Set<String>

    /// A query value; nil if missing or empty.
    func value(_ name: String) -> String? {
        query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Sends a request to the control API.
    func send<Request: ControlRequest>(_ request: Request) async throws(ControlError) -> Request.Answer {
        try await control.send(request)
    }

    /// The app and environment in the path.
    var app: AppEnvironment {
        get throws(ControlError) {
            let name = parameters["environment"] ?? ""
            guard let environment = StoreEnvironment(rawValue: name) else {
                throw .missing("No environment \"\(name.prefix(64))\". Environments: production, sandbox.")
            }
            return AppEnvironment(parameters["bundleId"] ?? "", environment)
        }
    }

    /// A date and time in the query; nil if missing or empty.
    ///
    /// - Throws: `ControlError` for a text that is no date and time.
    func instant(_ name: String) throws(ControlError) -> Timestamp? {
        guard let text = value(name) else { return nil }
        guard let instant = FormBody.instant(text) else {
            throw .badForm("\(name) must be a date and time such as 2026-03-01T10:00.")
        }
        return Timestamp(milliseconds: instant)
    }

    /// The name of the customer in the path.
    var customer: String { parameters["customer"] ?? "" }

    /// The transaction id in the path.
    var transactionId: String { parameters["transactionId"] ?? "" }

    /// The URL of the page of a customer of the app and environment in the path.
    func link(toCustomer customer: String) -> String? { link(ConsolePage.customerPath, ["customer": customer]) }

    /// The URL of a customer's page.
    func link(toCustomer customer: String, of app: AppEnvironment) -> String? {
        link(ConsolePage.customerPath, Self.parameters(of: app).merging(["customer": customer]) { $1 })
    }

    /// The URL of a transaction's page.
    func link(toTransaction id: String) -> String? { link(RowsCard.path, ["transactionId": id]) }

    /// The URL of a product's page.
    func link(toProduct id: String) -> String? { link(ConsolePage.productPath, ["productId": id]) }

    /// The URL of a notification's page.
    func link(toNotification uuid: String, of app: AppEnvironment) -> String? {
        let path = ConsolePage.notificationPath
        return link(path, Self.parameters(of: app).merging(["notificationUUID": uuid]) { $1 })
    }

    /// The URL of the page of a logged request.
    func link(toRequest id: String) -> String? { link(ConsolePage.requestPath, ["id": id]) }

    /// The URL of the page of an app's environment.
    func link(toEnvironment app: AppEnvironment) -> String? {
        link("/console/apps/{bundleId}/{environment}/", Self.parameters(of: app))
    }

    /// The path parameters of an app and environment.
    static func parameters(of app: AppEnvironment) -> [String: String] {
        ["bundleId": app.bundleId, "environment": app.environment.rawValue]
    }

    /// The URL of a page with its parameters filled in; nil if no such page exists.
    func link(_ path: String, _ more: [String: String] = [:], query: [(name: String, value: String)] = []) -> String? {
        guard known.contains(path) else { return nil }
        return Address.of(path, parameters.merging(more) { $1 }, query: query)
    }
}
