import Foundation
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop

/// Converts a form to a request body. Fields are named by their path in the body (`productId`, `offer.kind`), and the
/// schema gives their types. Empty fields are omitted. Invalid values are passed on as text, and the control operation
/// rejects them with their path.
enum FormBody {
    /// The path parameters, from the fields whose names begin with `path.`.
    static func parameters(_ form: FormData) -> [String: String] {
        var parameters: [String: String] = [:]
        for field in form.fields where field.name.hasPrefix("path.") {
            parameters[String(field.name.dropFirst(5))] = field.value
        }
        return parameters
    }

    /// The names and values of the query.
    static func query(_ form: FormData, _ properties: [Schema.Property]) -> [(name: String, value: String)] {
        properties.compactMap { property in
            form[property.name].flatMap { $0.isEmpty ? nil : (name: property.name, value: $0) }
        }
    }

    /// The request body of an operation.
    static func tree(_ form: FormData, _ operation: OperationForm) -> JSONTree {
        guard let schema = operation.request else { return .object([]) }
        let query = Set(operation.query.map(\.name))
        return tree(FormData(fields: form.fields.filter { !query.contains($0.name) }), schema)
    }

    /// The request body with a schema.
    static func tree(_ form: FormData, _ schema: Schema) -> JSONTree {
        var body = JSONTree.object([])
        for field in form.fields where isOfBody(field) {
            let parts = field.name.split(separator: ":", maxSplits: 1).map(String.init)
            let path = parts[0].split(separator: ".").map(String.init)
            let hint = parts.count > 1 ? parts[1] : nil
            switch hint {
            case "offer": body.put(offer: field.value, at: path)
            case "notice": body.put(notice: field.value)
            default: body.put(value(field.value, schema.property(at: path)?.schema, hint: hint), at: path[...])
            }
        }
        return body
    }

    private static func isOfBody(_ field: FormData.Field) -> Bool {
        !field.name.hasPrefix("_") && !field.name.hasPrefix("path.")
            && field.name.first { $0 != "." && $0 != ":" } != nil && !field.value.isEmpty
    }

    private static func value(_ text: String, _ schema: Schema?, hint: String?) -> JSONTree {
        switch schema?.plain {
        case .integer?, .integerOf?:
            let typed = text.trimmingCharacters(in: .whitespaces)
            if hint == "money" { return Money.milliunits(typed).map { .number(String($0)) } ?? .string(text) }
            if hint == "instant", let instant = instant(typed) { return .number(String(instant)) }
            return Int64(typed).map { .number(String($0)) } ?? .string(text)
        case .boolean?:
            return ["true": .bool(true), "on": .bool(true), "false": .bool(false)][text] ?? .string(text)
        case .array(_, of: .string)?:
            let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            return .array(lines.filter { !$0.isEmpty }.map { .string($0) })
        case .array?, .anyObject?, .object?, .map?:
            return (try? JSONTree.parse(Array(text.utf8))) ?? .string(text)
        case .number?, .component?: return Double(text).map { _ in .number(text) } ?? .string(text)
        case .string?, nil:
            return .string(text)
        }
    }

    /// Parses the value of a `datetime-local` field as UTC: `2026-03-01T10:00`, with or without seconds.
    static func instant(_ text: String) -> Int64? {
        let colons = text.count { $0 == ":" }
        let whole = text.contains("T") && !text.hasSuffix("Z") ? text + (colons == 1 ? ":00Z" : "Z") : text
        guard case .instant(let instant)? = TimeExpression(whole) else { return nil }
        return instant.milliseconds
    }
}

extension OperationForm {
    /// The property at a path of the body, or in the query; nil if there is none.
    func property(at path: [String]) -> Schema.Property? {
        query.first { [$0.name] == path } ?? request?.property(at: path)
    }
}

extension Schema {
    /// The property at a path; nil if there is none.
    func property(at path: [String]) -> Property? {
        guard let first = path.first, case .object(_, let properties) = plain else { return nil }
        let property = properties.first { $0.name == first }
        return path.count > 1 ? property?.schema.property(at: Array(path.dropFirst())) : property
    }
}

extension JSONTree {
    /// Adds an offer from a select field: `WIN_BACK:come-back`, or only the kind.
    fileprivate mutating func put(offer text: String, at path: [String]) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        for (key, part) in zip(["kind", "id"], parts) { put(.string(part), at: (path + [key])[...]) }
    }

    /// Adds a notification type from a select field: `EXPIRED/VOLUNTARY`, or only the type.
    fileprivate mutating func put(notice text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        for (key, part) in zip(["type", "subtype"], parts) { put(.string(part), at: [key]) }
    }

    /// Sets the value at a path and creates missing objects.
    fileprivate mutating func put(_ value: JSONTree, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        var members = self.members
        let index = members.firstIndex { $0.key == first }
        var inner = value
        if path.count > 1 {
            inner = index.map { members[$0].value } ?? .object([])
            inner.put(value, at: path.dropFirst())
        }
        if let index { members[index].value = inner } else { members.append(.init(first, inner)) }
        self = .object(members)
    }
}
