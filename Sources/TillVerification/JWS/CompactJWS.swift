import TillJSON

/// A signed token as it was received, decoded but not verified: call ``verify(with:)`` before using its claims.
package struct CompactJWS: Sendable {
    /// The dot between the segments.
    package static let dot = UInt8(ascii: ".")
    /// The default maximum size of a token in bytes.
    package static let defaultLimit = 16_384
    /// The default maximum number of objects and arrays that enclose a value in the header or the payload.
    package static let maximumDepth = 8

    /// The members of the header.
    package let header: [String: JSONTree]
    /// The members of the payload.
    package let claims: [String: JSONTree]
    /// The payload as it was signed.
    package let payload: [UInt8]
    /// The signature, which is unverified and can have any length.
    package let signature: [UInt8]
    /// The signed part of the text: everything before the second dot.
    private let signingInput: ArraySlice<UInt8>

    /// Decodes `text`.
    ///
    /// - Parameters:
    ///   - text: three base64url segments. The first two must contain JSON objects.
    ///   - limit: the maximum size of `text` in bytes.
    ///   - depth: the maximum number of objects and arrays that enclose a value.
    /// - Throws: ``JWSRefusal``.
    package init(
        _ text: some StringProtocol,
        limit: Int = defaultLimit,
        depth: Int = maximumDepth
    ) throws(JWSRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
        let segments = bytes.split(separator: Self.dot, omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw .segments(segments.count) }
        // Tokens are untrusted. Parsers disagree about repeated keys and about numbers that are no `Double`, and
        // unlimited nesting can exhaust the stack, so all three are rejected.
        let limits = JSONLimits(depth: depth, numbersFitDouble: true)
        header = try Self.members(try Self.decode(segments[0], .header), .header, limits)
        payload = try Self.decode(segments[1], .payload)
        claims = try Self.members(payload, .payload, limits)
        signature = try Self.decode(segments[2], .signature)
        signingInput = bytes[..<segments[1].endIndex]
    }

    /// Whether the signature is a valid ES256 signature for `key`. Does not check `alg`.
    package func verify(with key: VerificationKey) -> Bool {
        key.isValid(signature, for: signingInput)
    }

    /// A string member of the header; nil if it is missing or not a string.
    package func headerString(_ name: String) -> String? {
        guard case .string(let value) = header[name] else { return nil }
        return value
    }

    private static func decode(
        _ text: ArraySlice<UInt8>,
        _ segment: JWSRefusal.Segment
    ) throws(JWSRefusal) -> [UInt8] {
        guard let bytes = Base64URL.decode(text) else { throw .notBase64URL(segment) }
        return bytes
    }

    private static func members(
        _ bytes: [UInt8],
        _ segment: JWSRefusal.Segment,
        _ limits: JSONLimits
    ) throws(JWSRefusal) -> [String: JSONTree] {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(bytes, limits: limits, keepsNull: true)
        } catch {
            throw .notJSON(segment, reason: "is not valid JSON (\(Words.printable("\(error.withoutExcerpt)")))")
        }
        guard case .object(let members) = tree else {
            throw .notJSON(segment, reason: "is \(tree.kind), not a JSON object")
        }
        return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
