import TillControl
import TillServer
import TillShop

/// A page of the console.
struct ConsolePage: Sendable {
    /// The URL path, with `{name}` for each parameter.
    let path: String
    /// The name of the template.
    let template: String
    /// The name in the navigation bar; nil for a page that the bar does not show.
    let menu: String?
    /// The path of the page that the navigation bar marks as current; nil for this page.
    let menuPage: String?
    /// Whether the page accepts forms at its own path, like the decoder. It does not store their data.
    let takesForms: Bool
    /// Whether an open page is updated. Other pages are rendered only on request, because their content is expensive.
    let isLive: Bool
    /// The documentation of what the page shows, the most important page first.
    let documentation: [DocumentationPage]
    /// Returns the values for the template, with the page's current content. The heading and window title is `title`,
    /// or the name in the navigation bar.
    let content: @Sendable (PageRequest) async throws -> PageValue

    init(
        _ path: String,
        _ template: String,
        menu: String? = nil,
        menuPage: String? = nil,
        takesForms: Bool = false,
        isLive: Bool = true,
        documentation: [DocumentationPage] = [.console],
        content: @escaping @Sendable (PageRequest) async throws -> PageValue
    ) {
        (self.path, self.template, self.menu, self.menuPage) = (path, template, menu, menuPage)
        (self.takesForms, self.isLive, self.documentation) = (takesForms, isLive, documentation)
        self.content = content
    }

    /// The path of the pages of an app's environment.
    static let scope = "/console/apps/{bundleId}/{environment}"

    /// All pages, in the order of the navigation bar. A new page needs a file in Pages, a template in Resources/Pages
    /// that `Templates` lists, and an entry here.
    static let all: [ConsolePage] = [
        overview, requests, request, faults, snapshots, keys, audit, decoder,
        environment, customers, customer, transaction, notifications, notification, catalog, product,
        search, comparison,
    ]

    /// Whether the page shows one environment of an app.
    var isOfEnvironment: Bool { path.contains("{environment}") }

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

/// A request for a page.
struct PageRequest: Sendable {
    let control: ControlCaller
    /// The shop, for data that no control operation returns.
    let shop: Shop
    /// The page's path and query. The result of an action is shown on this page.
    let address: String
    /// The CSRF token for forms.
    let proof: String
    /// Unique for each rendering of the page, so that a form sent twice runs once.
    let once = Sessions.random()
    /// The parameters in the path.
    var parameters: [String: String] = [:]
    var query: [(name: String, value: String)] = []
    /// The rejected form, which keeps the entered values; nil without one.
    var refused: RefusedForm?
    /// The fields with errors of the rejected form.
    let rejected = RejectedFields()
    /// The form sent to the page itself; nil for GET.
    var form: FormData?

    /// A query value; nil if missing or empty.
    func value(_ name: String) -> String? {
        query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Whether a flag in the query is set; nil if not.
    func flag(_ name: String) -> Bool? { value(name) == "true" ? true : nil }

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

    /// The name of the customer in the path.
    var customer: String { parameters["customer"] ?? "" }

    // MARK: Links

    /// The URL of a page. Its parameters are those in `more`, then those in the path of this request.
    func link(
        _ page: ConsolePage,
        _ more: [String: String] = [:],
        of app: AppEnvironment? = nil,
        query: [(name: String, value: String)] = []
    ) -> String {
        let scope = app.map { ["bundleId": $0.bundleId, "environment": $0.environment.rawValue] } ?? [:]
        return Address.of(page.path, parameters.merging(scope) { $1 }.merging(more) { $1 }, query: query)
    }

    /// The URL of this page with another query.
    func linkToSelf(_ query: [(name: String, value: String)]) -> String {
        Address.of(String(address.prefix { $0 != "?" }), [:], query: query)
    }

    func link(toEnvironment app: AppEnvironment) -> String { link(.environment, of: app) }

    func link(toCustomer customer: String, of app: AppEnvironment? = nil) -> String {
        link(.customer, ["customer": customer], of: app)
    }

    func link(toTransaction id: String) -> String { link(.transaction, ["transactionId": id]) }

    func link(toProduct id: String) -> String { link(.product, ["productId": id]) }

    func link(toNotification uuid: String) -> String { link(.notification, ["notificationUUID": uuid]) }
}
