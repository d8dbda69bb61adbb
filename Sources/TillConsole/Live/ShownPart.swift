import TillShop

/// A list that a verb answers whole, shown a part at a time.
struct ShownPart: Sendable {
    /// At most this many.
    let elements: ArraySlice<JSONTree>
    /// Where the next part is; nothing on the last.
    let next: PageValue

    static let most = 50

    /// - Parameters:
    ///   - key: by which an element is named.
    ///   - second: what tells elements with the same key apart; nil where there are none.
    ///   - name: what the page's query calls the last one of the part before.
    ///   - path: the page's.
    init(
        _ all: [JSONTree],
        by key: String,
        and second: String? = nil,
        as name: String = "after",
        _ page: PageRequest,
        path: String
    ) {
        func named(_ element: JSONTree) -> String {
            [element[key]?.text, second.flatMap { element[$0]?.text }].compactMap(\.self).joined(separator: "/")
        }
        let start = page.value(name).flatMap { last in all.firstIndex { named($0) == last } }.map { $0 + 1 } ?? 0
        elements = all[start...].prefix(Self.most)
        let last = elements.last.map(named)
        let hasMore = elements.endIndex < all.endIndex
        next = PageValue(hasMore ? last.flatMap { page.link(path, query: [(name: name, value: $0)]) } : nil)
    }
}

/// Apps and teams to choose from.
enum Choices {
    /// Nil when there are more than a list helps with.
    static func apps(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActForm.Field.Kind? {
        let apps = try await page.ask("listApps")["apps"]?.elements ?? []
        return choice(apps, "bundleId", first)
    }

    static func teams(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActForm.Field.Kind? {
        let teams = try await page.ask("listTeams")["teams"]?.elements ?? []
        return choice(teams, "issuerId", first)
    }

    private static func choice(_ elements: [JSONTree], _ key: String, _ first: [(value: String, name: String)])
        -> ActForm.Field.Kind?
    {
        guard elements.count <= 200 else { return nil }
        let choices = elements.map { element in
            let id = element[key]?.text ?? ""
            return (value: id, name: element["name"]?.text.map { $0 == id ? id : "\($0) (\(id))" } ?? id)
        }
        return .choice(first + choices)
    }
}
