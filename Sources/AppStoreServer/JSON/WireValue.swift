import Foundation
import TillJSON

/// A type of the values in answers and payloads.
///
/// Numbers and booleans may also be strings, because verifyReceipt sends them so.
protocol WireValue {
    /// The value; nil if the JSON value is of another type.
    init?(wire: JSONTree)
}

extension String: WireValue {
    init?(wire: JSONTree) {
        guard let text = wire.text else { return nil }
        self = text
    }
}

extension Int64: WireValue {
    /// Xcode signs dates with a fraction of a millisecond, which is dropped.
    init?(wire: JSONTree) {
        guard let text = wire.text,
            let number = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0.rounded(.down)) })
        else { return nil }
        self = number
    }
}

extension Int: WireValue {
    init?(wire: JSONTree) {
        guard let number = Int64(wire: wire) else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: WireValue {
    init?(wire: JSONTree) {
        switch wire.text {
        case "true", "1": self = true
        case "false", "0": self = false
        default: return nil
        }
    }
}

extension Timestamp: WireValue {
    init?(wire: JSONTree) {
        guard let milliseconds = Int64(wire: wire) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension UUID: WireValue {
    init?(wire: JSONTree) {
        guard let text = wire.text else { return nil }
        self.init(uuidString: text)
    }
}

extension Array: WireValue where Element: WireValue {
    /// An array with an element of another type is not read in part.
    init?(wire: JSONTree) {
        guard case .array(let elements) = wire else { return nil }
        let values = elements.compactMap(Element.init(wire:))
        guard values.count == elements.count else { return nil }
        self = values
    }
}
