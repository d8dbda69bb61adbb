import Foundation
import TillJSON

/// A call of the API: the request, and how to read its answer.
struct APICall<Value: Sendable>: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    let method: Method
    /// The path with the query, percent-encoded.
    let target: String
    /// The body; nil for none.
    let body: [UInt8]?
    /// Whether the request may be sent again although it may have had its effect. True for every call but the test
    /// notification: the others read, set a value that is in the request, or carry a request identifier.
    var isRepeatable = true
    /// Whether the next environment is asked about what the first does not know.
    var isSought = false
    /// Whether it goes to verifyReceipt, which takes no token.
    var isReceipt = false
    /// Reads the body of an answer with success.
    let read: @Sendable ([UInt8]) throws -> Value

    init(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String?)] = [],
        body: JSONTree? = nil,
        read: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        let asked = query.compactMap { item in item.value.map { "\(item.name)=\(Self.encoded($0))" } }
        self.method = method
        target =
            "/" + path.map(Self.encoded).joined(separator: "/")
            + (asked.isEmpty ? "" : "?" + asked.joined(separator: "&"))
        self.body = body?.compact
        self.read = read
    }

    /// The text with every byte encoded but letters, digits and `-._~` (RFC 3986 §2.3).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isUnreserved =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
            if isUnreserved { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

extension APICall where Value: AppStoreObject {
    /// A call whose answer is an object.
    init(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String?)] = [],
        body: JSONTree? = nil
    ) {
        self.init(method, path, query: query, body: body) { try Value(raw: RawObject(utf8: $0)) }
    }
}

extension APICall where Value: AppStoreObject {
    /// A call about a transaction, which the next environment may know.
    static func seeking(
        _ method: Method,
        _ path: [String],
        query: [(name: String, value: String?)] = [],
        body: JSONTree? = nil
    ) -> APICall {
        var call = APICall(method, path, query: query, body: body)
        call.isSought = true
        return call
    }
}

extension APICall<Void> {
    /// A call about a transaction, which the next environment may know. Its answer has no body.
    static func seeking(_ method: Method, _ path: [String], body: JSONTree? = nil) -> APICall {
        var call = APICall(method, path, body: body) { _ in }
        call.isSought = true
        return call
    }
}
