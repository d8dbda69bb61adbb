import Mustache
import TillJSON
import TillShop

/// A value for a template.
///
/// A nil optional becomes `nothing` instead of a missing key: Mustache looks up a missing key in the enclosing objects,
/// and could show an unrelated value.
enum PageValue: Equatable, Sendable {
    case text(String)
    case flag(Bool)
    case list([PageValue])
    case object([String: PageValue])
    case nothing

    /// An optional text.
    init(_ text: String?) { self = text.map { .text($0) } ?? .nothing }

    /// A number.
    init(_ number: some BinaryInteger) { self = .text(String(number)) }

    /// A response of a control operation.
    init(_ tree: JSONTree?) {
        self =
            switch tree {
            case .null?, nil: .nothing
            case .bool(let flag)?: .flag(flag)
            case .number(let digits)?: .text(digits)
            case .string(let text)?: .text(text)
            case .array(let elements)?: .list(elements.map { PageValue($0) })
            case .object(let members)?:
                .object(Dictionary(members.map { ($0.key, PageValue($0.value)) }) { $1 })
            }
    }

    /// The value of a key; nil if this is not an object or has no such key.
    subscript(_ key: String) -> PageValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The object with additional members.
    func with(_ more: [String: PageValue]) -> PageValue {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { $1 })
    }
}

extension PageValue: MustacheParent, MustacheCustomRepresentation {
    /// A key of an object.
    func child(named name: String) -> Any? { self[name] }

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

extension PageValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(arrayLiteral elements: PageValue...) { self = .list(elements) }

    init(dictionaryLiteral elements: (String, PageValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
