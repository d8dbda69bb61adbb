import TillControl
import TillJSON
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

    /// The name of the customer in the path.
    var customer: String { parameters["customer"] ?? "" }

    /// The transaction id in the path.
    var transactionId: String { parameters["transactionId"] ?? "" }

    /// The URL of a customer's page; nil in the tests that have no such page.
    func link(toCustomer customer: String) -> String? { link(ConsolePage.customerPath, ["customer": customer]) }

    /// The URL of a transaction's page.
    func link(toTransaction id: String) -> String? { link(RowsCard.path, ["transactionId": id]) }

    /// Calls an operation that is not declared as a type yet. Parameters that are not given come from the page's path.
    func ask(_ id: String, _ more: [String: String] = [:], query: [(name: String, value: String)] = [])
        async throws(ControlError) -> JSONTree
    {
        try await control.call(id, parameters.merging(more) { $1 }, query: query) ?? .null
    }

    /// The URL of a page with its parameters filled in; nil if no such page exists.
    func link(_ path: String, _ more: [String: String] = [:], query: [(name: String, value: String)] = []) -> String? {
        guard known.contains(path) else { return nil }
        return Address.of(path, parameters.merging(more) { $1 }, query: query)
    }
}
