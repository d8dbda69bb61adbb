/// A signed token as it arrived, taken apart but not believed: call ``verify(with:)`` before using its claims.
package struct CompactJWS: Sendable {
    /// The most bytes that a token may have unless the caller says otherwise.
    package static let defaultLimit = 16_384
    /// How many objects and arrays may enclose a value in the header or the payload.
    package static let maximumDepth = 8

    /// The members of the header.
    package let header: [String: Claim]
    /// The members of the payload.
    package let claims: [String: Claim]
    /// The payload as it was signed.
    package let payload: [UInt8]
    /// The signature, not yet looked at: any number of bytes.
    package let signature: [UInt8]
    /// What was signed: the text up to the second dot.
    private let signingInput: ArraySlice<UInt8>

    /// Takes `text` apart.
    ///
    /// - Parameters:
    ///   - text: three base64url segments, the first two of them JSON objects.
    ///   - limit: the most bytes that `text` may have.
    /// - Throws: ``JWSRefusal``.
    package init(_ text: some StringProtocol, limit: Int = defaultLimit) throws(JWSRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= limit else { throw .tooLong(bytes: bytes.count, limit: limit) }
        let segments = bytes.split(separator: SigningChain.dot, omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw .segments(segments.count) }
        header = try Self.members(try Self.decode(segments[0], .header), .header)
        payload = try Self.decode(segments[1], .payload)
        claims = try Self.members(payload, .payload)
        signature = try Self.decode(segments[2], .signature)
        signingInput = bytes[..<segments[1].endIndex]
    }

    /// Whether the signature is ES256 and was made with the private half of `key`. Does not look at `alg`.
    package func verify(with key: VerificationKey) -> Bool {
        key.isValid(signature, for: signingInput)
    }

    /// A member of the header that is a string; nil when it is missing or something else.
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
        _ segment: JWSRefusal.Segment
    ) throws(JWSRefusal) -> [String: Claim] {
        do {
            return try ClaimReader.object(in: bytes, maximumDepth: maximumDepth)
        } catch {
            throw .notJSON(segment, reason: error.reason)
        }
    }
}
