import TillJSON

/// A value of an enumeration that may have more cases in the future.
///
/// ```swift
/// switch notification.notificationType {
/// case .known(.didRenew): …
/// case .known(let type): …
/// case .unknown(let text): …
/// }
/// ```
public enum OpenValue<Value: RawRepresentable & Hashable & Sendable>: Hashable, Sendable
where Value.RawValue: Hashable & Sendable {
    /// A value that this library knows.
    case known(Value)
    /// The raw value of one that it does not know.
    case unknown(Value.RawValue)

    /// The value with a raw value.
    public init(rawValue: Value.RawValue) { self = Value(rawValue: rawValue).map(Self.known) ?? .unknown(rawValue) }

    /// The value on the wire.
    public var rawValue: Value.RawValue {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let value): value
        }
    }

    /// The value; nil if this library does not know it.
    public var known: Value? { if case .known(let value) = self { value } else { nil } }
}

extension Optional {
    /// Whether it is this known value: `item.status == .active`.
    public static func == <Value>(left: Wrapped?, right: Value) -> Bool where Wrapped == OpenValue<Value> {
        left == .some(.known(right))
    }

    /// Whether it is anything but this known value.
    public static func != <Value>(left: Wrapped?, right: Value) -> Bool where Wrapped == OpenValue<Value> {
        left != .some(.known(right))
    }
}

extension OpenValue: CustomStringConvertible {
    /// The value on the wire; for a number, also the name of the case, as in `active (1)`.
    public var description: String {
        guard case .known(let value) = self, Value.RawValue.self is any BinaryInteger.Type else { return "\(rawValue)" }
        return "\(value) (\(rawValue))"
    }
}

extension OpenValue: WireValue where Value.RawValue: WireValue {
    init?(wire: JSONTree) {
        guard let raw = Value.RawValue(wire: wire) else { return nil }
        self.init(rawValue: raw)
    }
}
