import Foundation
import TillCore
import TillJSON
import TillSigning

/// Decodes a text: a signed token of any kind, the body of a notification or answer, a receipt, or a bearer token.
/// Signed parts within the text are decoded, too. Nothing is stored.
///
/// The text is untrusted, so its length, its depth and the number of parts are limited.
package struct TextDecoding: Sendable {
    private let shop: Shop
    private var parts: [DecodedPart] = []
    private var isCutShort = false
    /// The path in the document at which decoding has arrived.
    private var path = JSONPath()

    /// The maximum length of a text in bytes.
    package static let maxBytes = 512 * 1_024
    /// The maximum number of parts that are decoded.
    package static let maxParts = 60
    /// The maximum depth of nested parts.
    package static let deepest = 5

    private init(_ shop: Shop) { self.shop = shop }

    /// Decodes all parts of a text. A part precedes the parts that it contains. A text without a readable part gives
    /// one part of kind `unknown`.
    package static func parts(of text: String, _ shop: Shop) async -> (parts: [DecodedPart], isCutShort: Bool) {
        guard text.utf8.count <= maxBytes else {
            return ([fault("The text has \(text.utf8.count) bytes; the maximum is \(maxBytes).")], false)
        }
        var decoding = TextDecoding(shop)
        await decoding.read(text.trimmingCharacters(in: .whitespacesAndNewlines), place: nil, depth: 0)
        return (decoding.parts, decoding.isCutShort)
    }

    private static func fault(_ sentence: String) -> DecodedPart {
        var part = DecodedPart(.unknown)
        part.fault = sentence
        return part
    }

    // MARK: Detection

    private mutating func read(_ text: String, place: String?, depth: Int) async {
        if text.hasPrefix("-----BEGIN ") { return readPEM(text) }
        if let first = text.utf8.first, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first) {
            return await readDocument(text, place: place, depth: depth)
        }
        // The text may be a header, a command or a list that contains tokens.
        let tokens = text.split { !Self.isOfToken($0) }.filter(Self.looksSigned)
        // A mail program may have split a token into lines.
        let joined = text.filter { !$0.isWhitespace }
        if tokens.isEmpty, Self.looksSigned(joined[...]) {
            return await readToken(joined, place: place, depth: depth)
        }
        guard tokens.isEmpty else {
            for token in tokens { await readToken(String(token), place: place, depth: depth) }
            return
        }
        if let words = Self.isCutShort(text) { return parts.append(Self.fault(words)) }
        guard let bytes = Self.bytes(ofBase64: joined), !bytes.isEmpty else {
            let words = "This is not a signed token (three parts separated by dots), JSON or Base64."
            return parts.append(Self.fault(text.isEmpty ? "The text is empty." : words))
        }
        if bytes.first == 0x30 { return await readReceipt(bytes, place: place, depth: depth) }
        if TransactionReceipt.looksLike(bytes), let inner = String(validating: bytes, as: UTF8.self) {
            return await readDocument(inner, place: place, depth: depth)
        }
        parts.append(Self.fault("This is Base64, but neither a receipt nor JSON."))
    }

    /// Whether a text has the form of a signed token: three parts, the first of them a JSON object in base64url.
    private static func looksSigned(_ text: Substring) -> Bool {
        text.hasPrefix("eyJ") && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// The error message for an incomplete signed token; nil for any other text.
    private static func isCutShort(_ text: String) -> String? {
        let words = "This is an incomplete signed token. It needs three parts separated by dots, but has only "
        // Base64 has no dots.
        let halves = text.split { !isOfToken($0) }.filter { token in
            token.hasPrefix("eyJ") && token.utf8.count { $0 == UInt8(ascii: ".") } == 1
        }
        if !halves.isEmpty { return words + "two." }
        guard let bytes = bytes(ofBase64: text.filter { !$0.isWhitespace }), isHeader(bytes) else { return nil }
        return words + "one."
    }

    /// Whether bytes are the header of a signed token, or begin like a header. JWKs and other JSON documents begin with
    /// other names, or contain more names than a header.
    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        let begins = ["alg", "typ", "kid", "x5c"].contains { bytes.starts(with: Array("{\"\($0)\":".utf8)) }
        guard begins else { return false }
        guard case .object(let members)? = try? JSONTree.parse(bytes) else { return true }
        return Set(members.map(\.key)).isSubset(of: ["alg", "typ", "kid", "x5c"])
    }

    private static func isOfToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.+/=".contains(character))
    }

    /// Decodes Base64 or base64url, with or without padding.
    private static func bytes(ofBase64 text: String) -> [UInt8]? {
        let plain = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(plain[..<(plain.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0)])
    }

    private mutating func take(_ part: DecodedPart) -> Bool {
        guard parts.count < Self.maxParts else {
            isCutShort = true
            return false
        }
        parts.append(part)
        return true
    }

    // MARK: Documents

    private mutating func readDocument(_ text: String, place: String?, depth: Int) async {
        var part = DecodedPart(.json, at: place, depth: depth)
        do {
            let tree = try JSONTree.parse(Array(text.utf8), keepsNull: true)
            // The text is a token that was copied with its quotes.
            if case .string(let inner) = tree, depth < Self.deepest {
                return await read(inner, place: place, depth: depth + 1)
            }
            part.payload = tree
            if take(part) { await readInside(document: tree, depth: depth + 1) }
        } catch {
            if text.contains("purchase-info") {
                return await readTransactionReceipt(text, place: place, depth: depth)
            }
            part.kind = .unknown
            part.fault = "The JSON cannot be read: \(error.faults.first.map(\.description) ?? "")."
            _ = take(part)
        }
    }

    private mutating func readInside(document tree: JSONTree, depth: Int) async {
        let outer = path
        path = JSONPath()
        await readInside(tree, depth: depth)
        path = outer
    }

    /// Decodes every signed text in a document, in the document's order.
    private mutating func readInside(_ tree: JSONTree, depth: Int) async {
        switch tree {
        case .object(let members):
            for member in members {
                path.enter(member.key)
                defer { path.leave() }
                if Self.receiptKeys.contains(member.key), case .string(let text) = member.value,
                    let bytes = Self.bytes(ofBase64: text.filter { !$0.isWhitespace }), !bytes.isEmpty
                {
                    guard goesOn(depth) else { return }
                    await readReceipt(bytes, place: path.text, depth: depth)
                } else if Self.signedKeys.contains(member.key), case .string(let text) = member.value,
                    !Self.looksSigned(text[...])
                {
                    var part = DecodedPart(.unknown, at: path.text, depth: depth)
                    part.fault = "This is not a signed text: a signed text has three parts, and the first is a header."
                    guard take(part) else { return }
                } else {
                    await readInside(member.value, depth: depth)
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                guard !isCutShort else { return }
                path.enter(index)
                await readInside(element, depth: depth)
                path.leave()
            }
        case .string(let text):
            guard Self.looksSigned(text[...]), goesOn(depth) else { return }
            await readToken(text, place: path.text, depth: depth)
        default: break
        }
    }

    private mutating func goesOn(_ depth: Int) -> Bool {
        if depth > Self.deepest { isCutShort = true }
        return !isCutShort
    }

    private static let receiptKeys: Set = ["receipt-data", "latest_receipt"]
    private static let signedKeys: Set = [
        "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    // MARK: Signed tokens

    private mutating func readToken(_ text: String, place: String?, depth: Int) async {
        guard parts.count < Self.maxParts else {
            isCutShort = true
            return
        }
        var part = DecodedPart(.signed, at: place, depth: depth)
        part.text = text
        let segments = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        part.header = Self.tree(segments[0])
        part.payload = Self.tree(segments[1])
        do {
            let jws = try CompactJWS(text, limit: Self.maxBytes)
            let judge = SignatureCheck(shop: shop)
            if jws.header["x5c"] != nil || jws.header["kid"] == nil {
                let inspection = judge.inspect(jws)
                part.certificates = inspection.certificates
                part.verdict = judge.verdict(of: inspection, Self.instant(of: jws, shop))
                part.kind = Self.kind(of: part.payload)
            } else {
                part.kind = .token
                part.verdict = judge.verdict(ofToken: jws, text)
            }
        } catch {
            part.fault = error.explanation
            part.verdict = .invalid("The signature cannot be verified, because the token cannot be read.")
        }
        guard take(part), let payload = part.payload else { return }
        await readInside(document: payload, depth: depth + 1)
    }

    private static func tree(_ segment: ArraySlice<UInt8>) -> JSONTree? {
        Base64URL.decode(segment).flatMap { try? JSONTree.parse($0, keepsNull: true) }
    }

    /// The instant at which a verifier that works offline checks the certificates.
    private static func instant(of jws: CompactJWS, _ shop: Shop) -> Int64 {
        SignatureCheck.instant(of: jws) ?? shop.wallClock().milliseconds
    }

    private static func kind(of payload: JSONTree?) -> DecodedPart.Kind {
        guard case .object(let members)? = payload else { return .signed }
        let keys = Set(members.map(\.key))
        if keys.contains("notificationUUID") { return .notification }
        if keys.contains("autoRenewProductId") || keys.contains("autoRenewStatus") { return .renewalInfo }
        if keys.contains("appTransactionId"), keys.contains("receiptType") { return .appTransaction }
        if keys.contains("transactionId"), keys.contains("originalTransactionId") { return .transaction }
        return .signed
    }

    // MARK: Receipts

    private mutating func readReceipt(_ bytes: [UInt8], place: String?, depth: Int) async {
        if TransactionReceipt.looksLike(bytes) {
            let text = String(decoding: bytes, as: UTF8.self)
            return await readTransactionReceipt(text, place: place, depth: depth)
        }
        var part = DecodedPart(.receipt, at: place, depth: depth)
        do {
            let signed = try SignedReceipt(bytes, limit: Self.maxBytes)
            part.payload = signed.receipt.tree
            part.certificates = signed.certificatesDER.compactMap { try? CertificateFacts(der: $0) }
            part.verdict = await SignatureCheck(shop: shop).verdict(of: signed)
        } catch {
            part.kind = .unknown
            part.fault = error.explanation
        }
        _ = take(part)
    }

    private mutating func readTransactionReceipt(_ text: String, place: String?, depth: Int) async {
        var part = DecodedPart(.transactionReceipt, at: place, depth: depth)
        part.text = text
        let (receipt, verdict) = await SignatureCheck(shop: shop).verdict(ofTransactionReceipt: Array(text.utf8))
        part.payload = receipt?.tree
        part.verdict = verdict
        _ = take(part)
    }

    // MARK: Certificates

    private mutating func readPEM(_ text: String) {
        var part = DecodedPart(.certificate)
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            part.kind = .unknown
            part.fault = "This is PEM, but not a certificate. Do not paste private keys into web pages."
            return parts.append(part)
        }
        for block in text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().prefix(Self.maxParts) {
            let lines = block.components(separatedBy: "-----END").first ?? ""
            guard let der = Base64.decode(lines.filter { !$0.isWhitespace }),
                let facts = try? CertificateFacts(der: der)
            else {
                part.fault = "One of the certificates cannot be read."
                continue
            }
            part.certificates.append(facts)
        }
        parts.append(part)
    }
}
