import HTTPTypes
import TillControl
import TillServer

/// The limits of lists.
enum ListLimit {
    /// The elements of a page of a list.
    static let elements = 50
    /// The options of a select field. A longer list is replaced by a text field.
    static let options = 200
}

extension PageRequest {
    /// A page of a list, for operations that answer with the whole list.
    ///
    /// - Parameters:
    ///   - id: returns what identifies an element.
    ///   - name: the query parameter that names the last element of the previous page.
    /// - Returns: the elements of this page, and the URL of the next page; nil on the last one.
    func part<Element>(
        of all: [Element],
        by id: (Element) -> String,
        as name: String = "after",
        limit: Int = ListLimit.elements
    ) -> (elements: ArraySlice<Element>, next: String?) {
        let start = value(name).flatMap { last in all.firstIndex { id($0) == last } }.map { $0 + 1 } ?? 0
        let elements = all[start...].prefix(limit)
        let last = elements.endIndex < all.endIndex ? elements.last.map(id) : nil
        return (elements, last.map { linkToSelf([(name: name, value: $0)]) })
    }

    /// A page of a list as `rows`, with the URL of the `next` page; `isEmpty` if the whole list is empty.
    func table<Element: Sendable>(
        of all: [Element],
        by id: (Element) -> String,
        as name: String = "after",
        limit: Int = ListLimit.elements,
        row: (Element) async throws -> PageValue
    ) async throws -> PageValue {
        let (elements, next) = part(of: all, by: id, as: name, limit: limit)
        var rows: [PageValue] = []
        for element in elements { rows.append(try await row(element)) }
        return ["rows": rows, "isEmpty": all.isEmpty, "next": next]
    }

    /// A list that a form filters: the `filter` for `{{>filter}}`, the `rows`, and the URL of the `next` page.
    ///
    /// - Parameters:
    ///   - fields: the fields of the form. They become the page's query.
    ///   - isShown: whether the page shows an error as `error` beside the form, and whether a field has a value.
    ///   - load: returns the rows and the cursor of the next page.
    func list<Request: ControlRequest>(
        of request: Request.Type,
        _ fields: [FormField],
        isShown: (ControlError, _ isFiltered: Bool) -> Bool = { _, _ in false },
        load: () async throws -> (rows: [PageValue], next: String?)
    ) async throws -> PageValue {
        guard let operation = control[Request.operationID] else { throw ControlError.missingPage }
        let active = fields.compactMap { field in value(field.name).map { (name: field.name, value: $0) } }
        let values: PageValue = [
            "filter": [
                "address": linkToSelf([]), "isFiltered": !active.isEmpty,
                "fields": fields.listed { $0.value(inFilterOf: operation, value($0.name)) },
            ] as PageValue
        ]
        do {
            let (rows, next) = try await load()
            let address = next.map { linkToSelf(active + [(name: "after", value: $0)]) }
            return values.with(["rows": rows, "next": address])
        } catch let error as ControlError where isShown(error, !active.isEmpty) {
            return values.with(["error": error.message])
        }
    }

    // MARK: Choices

    /// The apps as options of a select field; nil if there are too many.
    func apps(first: [FormField.Option]) async throws -> FormField.Kind? {
        Self.choice(try await send(ListApps()).map { ($0.bundleId, $0.name) }, first)
    }

    /// The teams as options of a select field; nil if there are too many.
    func teams() async throws -> FormField.Kind? {
        Self.choice(try await send(ListTeams()).map { ($0.issuerId, $0.name) }, [])
    }

    private static func choice(_ elements: [(id: String, name: String)], _ first: [FormField.Option])
        -> FormField.Kind?
    {
        guard elements.count <= ListLimit.options else { return nil }
        return .choice(first + elements.map { id, name in (id, name == id ? id : "\(name) (\(id))") })
    }
}
