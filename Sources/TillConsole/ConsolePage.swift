import TillServer
import TillShop

/// A page of the console: where it is, how it looks, and what is on it.
struct ConsolePage: Sendable {
    /// With `{name}` for each parameter.
    let path: String
    let template: Template
    /// Whether forms are sent to the page itself, to be answered and forgotten.
    var takesForms = false
    /// What the page says at this moment.
    let content: @Sendable (PageRequest) async throws -> PageContent

    /// The parameters of an address that leads to this page; nil for another address. `{name*}` at the end takes all
    /// that is left.
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

/// What a page says.
struct PageContent: Sendable {
    /// The heading, and the title of the window.
    var title: String
    /// What its template is filled with.
    var values: [String: PageValue]

    init(_ title: String, _ values: [String: PageValue]) {
        self.title = title
        self.values = values
    }
}

/// What somebody wants to see.
struct PageRequest: Sendable {
    let verbs: ControlVerbs
    /// For the few things that no verb should say.
    let shop: Shop
    /// Of the address.
    let parameters: [String: String]
    let query: [(name: String, value: String)]
    /// The page's own address with its query, to which acts lead back.
    let address: String
    /// What shows that a form is one of ours.
    let proof: String
    /// Tells this making of the page from every other: a form of it acts once.
    let once: String
    /// What was refused a moment ago, so that its form keeps what was typed.
    let refused: RefusedForm?
    /// What was sent to the page itself; nil when it is only looked at.
    let form: FormData?
    /// Addresses of pages that exist, by the pages' paths.
    let known: Set<String>

    /// A value of the query; nil when it is empty.
    func value(_ name: String) -> String? {
        query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Asks a verb; parameters of the address stand in for those that are not named.
    func ask(_ id: String, _ more: [String: String] = [:], query: [(name: String, value: String)] = [])
        async throws(ControlError) -> JSONTree
    {
        try await verbs.call(id, parameters.merging(more) { $1 }, query: query) ?? .null
    }

    /// An address of the console with its parameters filled in; nil while there is no such page.
    func link(_ path: String, _ more: [String: String] = [:], query: [(name: String, value: String)] = []) -> String? {
        guard known.contains(path) else { return nil }
        return Address.of(path, parameters.merging(more) { $1 }, query: query)
    }
}
