import Mustache
import TillCore
import TillShop

/// A value for a template.
enum PageValue: Equatable, Sendable {
    case text(String)
    case flag(Bool)
    case list([PageValue])
    case object([String: PageValue])
    case nothing

    /// The rows of a description list: texts as `words`, dates as `time`, and links with `words` and `link`. Facts
    /// without a value are omitted.
    static func facts(_ facts: KeyValuePairs<String, (any PageConvertible)?>) -> PageValue {
        let rows = facts.compactMap { name, fact -> PageValue? in
            guard let value = fact?.pageValue else { return nil }
            if value["link"] != nil { return value.with(["name": name]) }
            return ["name": name, value["iso"] == nil ? "words" : "time": value]
        }
        return .list(rows)
    }

    /// The value of a key; nil if this is not an object or has no such key.
    subscript(_ key: String) -> PageValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The object with the members of another object.
    func with(_ more: PageValue) -> PageValue {
        guard case .object(let members) = self, case .object(let added) = more else { return self }
        return .object(members.merging(added) { $1 })
    }
}

extension PageValue: MustacheParent, MustacheCustomRepresentation {
    /// A key of an object. A missing key is `nothing`: Mustache would look it up in the enclosing objects, and could
    /// show an unrelated value.
    func child(named name: String) -> Any? {
        guard case .object(let members) = self else { return nil }
        return members[name] ?? PageValue.nothing
    }

    /// The value as Mustache sees it.
    var representation: Any? {
        switch self {
        case .text(let text): text
        case .flag(let flag): flag
        case .list(let elements): elements
        case .object: self
        case .nothing: nil
        }
    }
}

/// A type whose values can be written into a `PageValue`.
protocol PageConvertible {
    /// The value for a template.
    var pageValue: PageValue { get }
}

extension PageValue: PageConvertible {
    var pageValue: PageValue { self }
}

extension String: PageConvertible {
    var pageValue: PageValue { .text(self) }
}

extension Bool: PageConvertible {
    var pageValue: PageValue { .flag(self) }
}

extension Int: PageConvertible {
    var pageValue: PageValue { .text(String(self)) }
}

extension Int64: PageConvertible {
    var pageValue: PageValue { .text(String(self)) }
}

extension Timestamp: PageConvertible {
    /// The date for `{{>time}}`.
    var pageValue: PageValue { Words.time(self) }
}

extension Array: PageConvertible where Element: PageConvertible {
    var pageValue: PageValue { .list(map(\.pageValue)) }
}

extension PageValue: ExpressibleByDictionaryLiteral {
    /// An object; nil becomes `nothing`.
    init(dictionaryLiteral elements: (String, (any PageConvertible)?)...) {
        self = .object(Dictionary(elements.map { ($0, $1?.pageValue ?? .nothing) }) { $1 })
    }
}

extension Sequence {
    /// A list with a value for each element.
    func listed(_ value: (Element) throws -> PageValue) rethrows -> PageValue { .list(try map(value)) }
}
