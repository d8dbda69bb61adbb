import TillCore

/// Why a request was rejected, in words (docs/operating/explain.md). Never contains a token, a key or a signature.
package struct RequestLogEntry: Equatable, Codable, Sendable {
    /// The request id of the answer: 26 base-32 characters and `.0.0`.
    package var id: String
    /// When the request was rejected, in wall-clock time.
    package var at: Timestamp
    /// The environment of the port that received the request.
    package var environment: StoreEnvironment
    /// The method as it was sent, such as `GET`; at most 16 characters.
    package var method: String
    /// The path without its query.
    package var path: String
    /// The HTTP status of the answer.
    package var status: Int
    /// The documented error code; nil for a 401.
    package var code: Int?
    /// The token's app, if known.
    package var app: String?
    /// The token's key, if known.
    package var keyID: String?
    /// What was wrong, and what would have made the request succeed.
    package var explanation: String
    /// How long the answer took; nil in entries of older versions.
    package var milliseconds: Int?
    /// The request's body, where bodies are kept: at most 4 KiB, without secrets.
    package var requestBody: String?
    /// The answer's body, likewise.
    package var responseBody: String?

    private enum CodingKeys: String, CodingKey {
        case id, at, method, path, status, code, app, keyID, explanation, milliseconds, requestBody, responseBody
        case environment = "realm"
    }

    /// One request.
    package init(
        id: String,
        at: Timestamp,
        environment: StoreEnvironment,
        method: String,
        path: String,
        status: Int,
        code: Int? = nil,
        app: String? = nil,
        keyID: String? = nil,
        explanation: String
    ) {
        self.id = id
        self.at = at
        self.environment = environment
        self.method = method
        self.path = path
        self.status = status
        self.code = code
        self.app = app
        self.keyID = keyID
        self.explanation = explanation
    }
}

extension Storage {
    /// The newest entries of the request log, newest first.
    package func requestLog(limit: Int) async throws -> [RequestLogEntry] {
        try await requestLog(before: .max, limit: limit).map(\.entry)
    }
}

/// An entry and its number: later ones have higher numbers.
package struct NumberedEntry: Equatable, Sendable {
    /// Identifies the entry when it is removed.
    package let number: Int64
    /// Why a request was refused.
    package let entry: RequestLogEntry

    /// An entry and its number.
    package init(number: Int64, entry: RequestLogEntry) {
        self.number = number
        self.entry = entry
    }
}
