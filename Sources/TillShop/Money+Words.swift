import TillCore

extension Money {
    /// As people write it: `4.99 USD`, `300 JPY`.
    package var words: String { "\(DecimalAmount.text(milliunits)) \(currency)" }

    /// Thousandths of an amount as people write it, such as `4.99`; nil for anything else.
    package static func milliunits(_ text: String) -> Int64? { DecimalAmount.milliunits(text) }
}
