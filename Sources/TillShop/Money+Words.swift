import TillCore

extension Money {
    /// In text form: `4.99 USD`, `300 JPY`.
    package var words: String { "\(DecimalAmount.text(milliunits)) \(currency)" }

    /// Parses thousandths of an amount, such as `4.99`; nil for anything else.
    package static func milliunits(_ text: String) -> Int64? { DecimalAmount.milliunits(text) }
}
