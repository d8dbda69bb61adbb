/// The limits of a text: far above what a real document has, and low enough that a hostile one needs little memory.
package struct JSONLimits: Sendable {
    /// Bytes of the text.
    package let bytes: Int
    /// The depth of nested arrays and objects.
    package let depth: Int
    /// Values, counting each string, number, array and object.
    package let values: Int
    /// Whether every number must be finite as a `Double`, because other readers of the text have no larger ones.
    package let numbersFitDouble: Bool
    /// Whether strings may have bare control characters, as the placeholders in Till's own text are.
    let allowsControlCharacters: Bool

    /// Limits for one kind of text.
    package init(bytes: Int = .max, depth: Int, values: Int = .max, numbersFitDouble: Bool = false) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
        self.numbersFitDouble = numbersFitDouble
        allowsControlCharacters = false
    }

    init(depth: Int, allowsControlCharacters: Bool) {
        bytes = .max
        values = .max
        numbersFitDouble = false
        self.depth = depth
        self.allowsControlCharacters = allowsControlCharacters
    }

    /// Documents from outside.
    package static let standard = JSONLimits(bytes: 8 * 1_024 * 1_024, depth: 64, values: 250_000)
    /// Texts whose length was limited before, and texts that Till wrote.
    package static let depthOnly = JSONLimits(depth: 64)

    /// Listed faults of a text.
    package static let faults = 1_000
    /// Bytes of the paths of listed faults.
    package static let bytesOfFaults = 128 * 1_024
}
