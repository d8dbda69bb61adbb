import Crypto
import TillJSON

/// A payload that is signed again and again, with another signing date each time. What does not change is encoded once,
/// and hashed up to the date: a page of twenty transactions costs 30 µs less.
package struct PreparedPayload: Sendable {
    /// The text after the header: a dot, the encoded payload and a dot.
    private let text: [UInt8]
    /// The bytes of the payload that are encoded together with the date: groups of three bytes.
    private let groups: [UInt8]
    /// The place of the date in `groups`.
    private let date: Range<Int>
    /// The place of the encoded groups in `text`.
    private let start: Int
    /// The state of the hash before the encoded groups.
    private let hash: SHA256

    /// - Parameters:
    ///   - payload: UTF-8 JSON.
    ///   - date: the place of the date's digits.
    ///   - chain: the chain that will sign.
    package init(_ payload: [UInt8], date: Range<Int>, by chain: SigningChain) {
        var text = [CompactJWS.dot]
        Base64URL.append(payload, to: &text)
        text.append(CompactJWS.dot)
        let first = date.lowerBound / 3
        let end = min((date.upperBound + 2) / 3 * 3, payload.count)
        start = 1 + first * 4
        groups = Array(payload[first * 3..<end])
        self.date = (date.lowerBound - first * 3)..<(date.upperBound - first * 3)
        var hash = chain.hashAfterHeader
        hash.update(data: text[1..<start])
        self.hash = hash
        self.text = text
    }

    /// Signs the payload with another date.
    ///
    /// - Parameters:
    ///   - milliseconds: the date.
    ///   - chain: the chain for which the payload was prepared.
    /// - Returns: nil if the date has another number of digits than the prepared one.
    /// - Throws: ``SigningError`` with the code `cryptography`.
    package func sign(
        at milliseconds: Int64,
        by chain: SigningChain
    ) throws(SigningError) -> SignedText? {
        let digits = String(milliseconds).utf8
        guard digits.count == date.count else { return nil }
        var groups = groups
        groups.replaceSubrange(date, with: digits)
        var rest: [UInt8] = []
        rest.reserveCapacity(text.count + SigningChain.encodedSignatureByteCount)
        rest.append(contentsOf: text)
        rest.replaceSubrange(start..<start + Base64URL.encodedCount(of: groups.count), with: Base64URL.encode(groups))
        var hash = hash
        hash.update(data: rest[start..<rest.count - 1])
        Base64URL.append(try chain.signature(of: hash.finalize()), to: &rest)
        return SignedText(header: chain.headerSegment, rest: rest)
    }
}
