import TillControl
import TillShop

/// One page of a list, for operations that answer with the whole list.
struct ShownPart<Element: Sendable>: Sendable {
    /// The elements of this page, at most `ShownPartLimit.elements`.
    let elements: ArraySlice<Element>
    /// The URL of the next page; nothing on the last one.
    let next: PageValue

    /// - Parameters:
    ///   - id: returns what identifies an element.
    ///   - name: the query parameter that names the last element of the previous page.
    ///   - path: the path of the console page.
    init(
        _ all: [Element],
        by id: (Element) -> String,
        as name: String = "after",
        _ page: PageRequest,
        path: String
    ) {
        let start = page.value(name).flatMap { last in all.firstIndex { id($0) == last } }.map { $0 + 1 } ?? 0
        elements = all[start...].prefix(ShownPartLimit.elements)
        let last = elements.last.map(id)
        let hasMore = elements.endIndex < all.endIndex
        next = PageValue(hasMore ? last.flatMap { page.link(path, query: [(name: name, value: $0)]) } : nil)
    }
}

/// The limit of a page of a list.
enum ShownPartLimit {
    static let elements = 50
}

/// Choices of apps and teams for forms.
enum Choices {
    /// A longer list is replaced by a text field.
    private static let maxCount = 200

    /// The apps as options of a select field; nil if there are too many.
    static func apps(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActionForm.Field.Kind?
    {
        choice(try await page.send(ListApps()).map { ($0.bundleId, $0.name) }, first)
    }

    static func teams(_ page: PageRequest, first: [(value: String, name: String)]) async throws -> ActionForm.Field
        .Kind?
    {
        choice(try await page.send(ListTeams()).map { ($0.issuerId, $0.name) }, first)
    }

    private static func choice(_ elements: [(id: String, name: String)], _ first: [(value: String, name: String)])
        -> ActionForm.Field.Kind?
    {
        guard elements.count <= maxCount else { return nil }
        return .choice(
            first + elements.map { id, name in (value: id, name: name == id ? id : "\(name) (\(id))") }
        )
    }
}
