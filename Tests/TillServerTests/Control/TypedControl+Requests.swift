import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TillControl
import TillCore
import TillJSON
import TillServer
import TillTestSupport

/// Sends requests that no typed request can express: with any path, query, body and header fields.
extension TypedControl {
    /// An answer of either API.
    struct Answer: Sendable, CustomStringConvertible {
        let status: Int
        let headers: HTTPFields
        let body: String

        /// The body; null if it is not JSON.
        var json: JSONTree { (try? JSONTree.parse(Array(body.utf8))) ?? .null }
        /// The code of a refusal of the control API.
        var code: String? { json["code"]?.text }
        /// The number of an error of the App Store Server API.
        var errorCode: Int? { json["errorCode"]?.number.map(Int.init) }
        /// The message of a refusal of the control API.
        var message: String { json["message"]?.text ?? "" }
        /// The places of all faults in the body of the refused request.
        var faultPaths: Set<String> { Set((json["faults"]?.elements ?? []).compactMap { $0["path"]?.text }) }
        /// The transactions of a page, without a check of their signatures.
        var signedTransactions: [String] { (json["signedTransactions"]?.elements ?? []).compactMap(\.text) }
        /// The id of the request log entry.
        var requestID: String { HTTPField.Name("X-Request-ID").flatMap { headers[$0] } ?? "" }

        var description: String { "\(status) \(body.prefix(300))" }
    }

    /// Sends a request to the control API.
    ///
    /// - Parameter type: The content type of the body; nil for none.
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        type: String? = "application/json"
    ) async throws -> Answer {
        try await ask(method, path, bytes: body.map { Array($0.utf8) }, type: type)
    }

    /// Sends a request to the control API with a body that need not be text.
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        bytes: [UInt8]?,
        type: String? = "application/json"
    ) async throws -> Answer {
        var headers = HTTPFields()
        headers[.contentType] = bytes == nil ? nil : type
        return try await Self.execute(Application(router: test.controlAPI().router()), method, path, headers, bytes)
    }

    /// Sends a request to the App Store Server API or to verifyReceipt, with a token of the app unless it is given.
    func apple(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        in environment: StoreEnvironment = .sandbox,
        token: String? = nil
    ) async throws -> Answer {
        try await apple(method, path, bytes: body.map { Array($0.utf8) }, in: environment, token: token)
    }

    /// Sends a request to the App Store Server API with a body that need not be text.
    func apple(
        _ method: HTTPRequest.Method,
        _ path: String,
        bytes: [UInt8]?,
        type: String? = "application/json",
        encoding: String? = nil,
        in environment: StoreEnvironment = .sandbox,
        token: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.authorization: "Bearer \(try token ?? test.token())"]
        headers[.contentType] = bytes == nil ? nil : type
        headers[.contentEncoding] = encoding
        let api = Application(router: test.appleAPI(in: environment).router())
        return try await Self.execute(api, method, path, headers, bytes)
    }

    private static func execute(
        _ application: some ApplicationProtocol,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields,
        _ body: [UInt8]?
    ) async throws -> Answer {
        try await application.test(.router) { client in
            try await client.execute(
                uri: path,
                method: method,
                headers: headers,
                body: body.map { ByteBuffer(bytes: $0) }
            ) { Answer(status: $0.status.code, headers: $0.headers, body: String(buffer: $0.body)) }
        }
    }
}
