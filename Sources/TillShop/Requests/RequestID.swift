/// Creates request ids in the form that Apple uses in 401 responses: 26 base-32 characters and `.0.0`.
package enum RequestID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Creates an id from 128 random bits.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bits = [generator.next() as UInt64, generator.next() as UInt64]
        var text: [UInt8] = []
        text.reserveCapacity(30)
        for place in 0..<26 {
            let word = place < 13 ? 0 : 1
            text.append(alphabet[Int(bits[word] & 31)])
            bits[word] >>= 5
        }
        text.append(contentsOf: ".0.0".utf8)
        return String(decoding: text, as: UTF8.self)
    }
}
