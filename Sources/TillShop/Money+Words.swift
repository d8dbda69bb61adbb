import TillCore

extension Money {
    /// The amount as text, such as `4.99 USD` or `300 JPY`.
    package var words: String { "\(DecimalAmount.text(milliunits)) \(currency)" }

    /// Parses an amount, such as `4.99`, to milliunits; nil for any other text.
    package static func milliunits(_ text: String) -> Int64? { DecimalAmount.milliunits(text) }
}
