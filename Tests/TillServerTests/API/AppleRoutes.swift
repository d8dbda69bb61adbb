import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillStorage
import TillTestSupport

/// The App Store Server API and verifyReceipt of a test's shop in one environment, without a socket.
struct AppleRoutes: Sendable {
    let test: TestShop
    var environment = StoreEnvironment.sandbox

    /// The answer to a request.
    struct Answer: Sendable {
        let status: Int
        let contentType: String?
        let text: String
        let requestID: String
        var json: JSONTree { get throws { try JSONTree.parse(Array(text.utf8)) } }
    }

    /// Header fields with a bearer token.
    static func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }

    /// Sends a GET request, with a valid bearer token unless other header fields are given.
    func get(_ path: String, headers: HTTPFields? = nil) async throws -> Answer {
        try await send(.get, path, headers: headers)
    }

    /// Sends a request, with a valid bearer token unless other header fields are given.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        bytes: [UInt8]? = nil,
        headers: HTTPFields? = nil
    ) async throws -> Answer {
        let content = bytes ?? body.map { Array($0.utf8) }
        let fields = try headers ?? Self.bearer(test.token())
        let api = test.appleAPI(in: environment)
        return try await Application(router: api.router()).test(.router) { client in
            try await client.execute(
                uri: path,
                method: method,
                headers: fields,
                body: content.map { ByteBuffer(bytes: $0) }
            ) { answer in
                Answer(
                    status: answer.status.code,
                    contentType: answer.headers[.contentType],
                    text: String(buffer: answer.body),
                    requestID: HTTPField.Name("X-Request-ID").flatMap { answer.headers[$0] } ?? ""
                )
            }
        }
    }

    /// The JSON of the answer to a GET request, which must have status 200.
    func json(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONTree {
        try await json(.get, path, sourceLocation: sourceLocation)
    }

    /// The JSON of an answer, which must have status 200.
    func json(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONTree {
        let answer = try await send(method, path, body)
        #expect(answer.status == 200, "\(path): \(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.contentType == "application/json", sourceLocation: sourceLocation)
        return try answer.json
    }

    // MARK: Refusals

    /// The request log's entry of an answer.
    func entry(of answer: Answer) async throws -> RequestLogEntry {
        let entry = try #require(try await test.shop.requestLog.entry(answer.requestID), "\(answer)")
        #expect(entry.environment == environment && entry.status == answer.status)
        return entry
    }

    /// Checks that an answer is a documented error, and that the request log's explanation contains the words.
    @discardableResult
    func expectError(
        _ code: Int,
        _ answer: Answer,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RequestLogEntry {
        #expect(answer.status == code / 10_000, "\(answer)", sourceLocation: sourceLocation)
        #expect(answer.contentType == "application/json", sourceLocation: sourceLocation)
        let json = try answer.json
        #expect(json.members.map(\.key) == ["errorCode", "errorMessage"], sourceLocation: sourceLocation)
        #expect(json["errorCode"] == .number(String(code)), "\(answer)", sourceLocation: sourceLocation)
        return try await explained(answer, code, words, sourceLocation)
    }

    /// Checks that an answer has a status and no body, and that the request log's explanation contains the words.
    @discardableResult
    func expectEmpty(
        _ status: Int,
        _ answer: Answer,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RequestLogEntry? {
        #expect(answer.status == status && answer.text.isEmpty, "\(answer)", sourceLocation: sourceLocation)
        return status < 300 ? nil : try await explained(answer, nil, words, sourceLocation)
    }

    /// Checks that an answer is the 401 without a reason, and that the request log has the reason.
    @discardableResult
    func expectUnauthenticated(
        _ answer: Answer,
        _ words: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RequestLogEntry {
        #expect(answer.status == 401 && answer.contentType == "text/plain", sourceLocation: sourceLocation)
        let text = "Unauthenticated\n\nRequest ID: \(answer.requestID)\n"
        #expect(answer.text == text, sourceLocation: sourceLocation)
        return try await explained(answer, nil, words, sourceLocation)
    }

    private func explained(
        _ answer: Answer,
        _ code: Int?,
        _ words: [String],
        _ sourceLocation: SourceLocation
    ) async throws -> RequestLogEntry {
        let entry = try await entry(of: answer)
        #expect(entry.code == code, sourceLocation: sourceLocation)
        let explanation = entry.explanation
        #expect(explanation.count > 10, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                explanation.lowercased().contains(word.lowercased()),
                "\(word): \(explanation)",
                sourceLocation: sourceLocation
            )
        }
        return entry
    }
}

extension SampleCatalog {
    /// The products of `control`, and a non-renewing subscription.
    static let apple: [Product] = control + [.season]
}

extension AppleRoutes {
    /// Runs a test with a shop that sells the products of `SampleCatalog.apple`.
    static func run(
        settings: Settings = Settings(),
        _ body: @escaping @Sendable (TypedControl) async throws -> Void
    ) async throws {
        try await TypedControl.run(try await TestShop(selling: SampleCatalog.apple, settings: settings), body)
    }
}

extension TypedControl {
    /// The App Store Server API of the same shop in the sandbox.
    var apple: AppleRoutes { AppleRoutes(test: test) }

    /// Another app with the products of `SampleCatalog.apple`, of a new team unless a team is given.
    func addApp(_ bundleID: String, issuerID: String? = nil) async throws -> AppInfo {
        var issuer = issuerID
        if issuer == nil { issuer = try await send(CreateTeam(name: bundleID)).issuerId }
        let app = try await send(CreateApp(bundleId: bundleID, issuerId: issuer))
        _ = try await test.shop.setup.updateCatalog(of: bundleID) { catalog in
            var catalog = catalog
            for product in SampleCatalog.apple { catalog.put(product) }
            return catalog
        }
        return app
    }
}
