/// Comparison of secrets in a time that does not depend on where they differ.
package enum ConstantTime {
    /// Whether the bytes are the same. Their number is not secret.
    package static func areEqual(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        let (left, right) = (Array(left), Array(right))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
