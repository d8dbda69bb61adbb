/// Converts between decimal texts and thousandths of a currency unit, without floating-point numbers.
enum DecimalAmount {
    /// The maximum number of digits before the point. Ten digits are enough for a price in any currency, and such a
    /// price times a quantity does not overflow.
    private static let wholeDigits = 10
    /// The largest amount with so many digits, in thousandths.
    static let largest: Int64 = 9_999_999_999_999

    /// Parses a text such as `4.99`, `300` or `0.5` into thousandths. Nil for any other text, for example with a sign,
    /// an exponent, a comma or a fourth decimal.
    static func milliunits(_ text: String) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, (1...wholeDigits).contains(whole.count) else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1]) : [UInt8(ascii: "0")]
        guard (1...3).contains(fraction.count) else { return nil }
        var amount: Int64 = 0
        for digit in Array(whole) + fraction + Array(repeating: UInt8(ascii: "0"), count: 3 - fraction.count) {
            guard (0x30...0x39).contains(digit) else { return nil }
            amount = amount * 10 + Int64(digit - 0x30)
        }
        return amount
    }

    /// Formats thousandths as a decimal text: without decimals for a whole amount, otherwise with two or three
    /// decimals.
    static func text(_ milliunits: Int64) -> String {
        let (whole, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1_000)
        let sign = milliunits < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        let digits = rest % 10 == 0 ? "\(rest / 10)" : "\(rest)"
        let width = rest % 10 == 0 ? 2 : 3
        return "\(sign)\(whole)." + String(repeating: "0", count: width - digits.count) + digits
    }
}
