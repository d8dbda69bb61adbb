import TillJSON
import TillShop

/// One page of a list, for control operations that return the whole list.
struct ShownPart: Sendable {
    /// The elements of this page, at most `limit`.
    let elements: ArraySlice<JSONTree>
    /// The URL of the next page; nothing on the last one.
    let next: PageValue

    static let limit = 50

    /// - Parameters:
    ///   - key: the key that identifies an element.
    ///   - second: a second key, which distinguishes elements with the same first key; nil if the first key is unique.
    ///   - name: the query parameter that names the last element of the previous page.
    ///   - path: the path of the console page.
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
        elements = all[start...].prefix(Self.limit)
        let last = elements.last.map(named)
        let hasMore = elements.endIndex < all.endIndex
        next = PageValue(hasMore ? last.flatMap { page.link(path, query: [(name: name, value: $0)]) } : nil)
    }
}

/// Choices of apps and teams for forms.
enum Choices {
    /// The apps as options of a select field; nil if there are too many.
    static func apps(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActionForm.Field.Kind?
    {
        let apps = try await page.ask("listApps")["apps"]?.elements ?? []
        return choice(apps, "bundleId", first)
    }

    static func teams(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActionForm.Field
        .Kind?
    {
        let teams = try await page.ask("listTeams")["teams"]?.elements ?? []
        return choice(teams, "issuerId", first)
    }

    private static func choice(_ elements: [JSONTree], _ key: String, _ first: [(value: String, name: String)])
        -> ActionForm.Field.Kind?
    {
        guard elements.count <= 200 else { return nil }
        let choices = elements.map { element in
            let id = element[key]?.text ?? ""
            return (value: id, name: element["name"]?.text.map { $0 == id ? id : "\($0) (\(id))" } ?? id)
        }
        return .choice(first + choices)
    }
}
