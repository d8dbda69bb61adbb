import Foundation
import TillCore

/// A rejected request and the reason as text (docs/operating/explain.md). It never contains a token, a key or a
/// signature.
package struct RequestLogEntry: Equatable, Codable, Sendable {
    /// The request id in the response: 26 base-32 characters and `.0.0`.
    package var id: String
    /// The instant of the rejection, in real time.
    package var at: Timestamp
    /// The environment of the port that received the request.
    package var environment: StoreEnvironment
    /// The HTTP method as the client sent it, such as `GET`; at most 16 characters.
    package var method: String
    /// The path without its query.
    package var path: String
    /// The HTTP status of the response.
    package var status: Int
    /// The documented error code; nil for a response with status 401.
    package var code: Int?
    /// The app of the token; nil if unknown.
    package var app: String?
    /// The key id of the token; nil if unknown.
    package var keyID: String?
    /// What was wrong with the request, and how to correct it.
    package var explanation: String
    /// The time until the response, in milliseconds; nil in entries of older versions.
    package var milliseconds: Int?
    /// The body of the request, at most 4 KiB, with secrets removed; nil unless bodies are logged.
    package var requestBody: String?
    /// The body of the response, at most 4 KiB, with secrets removed; nil unless bodies are logged.
    package var responseBody: String?

    private enum CodingKeys: String, CodingKey {
        case id, at, method, path, status, code, app, keyID, explanation, milliseconds, requestBody, responseBody
        case environment = "realm"
    }

    /// An entry for one request.
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

extension RequestLogEntry {
    /// The entry as JSON text, as the engines store it.
    func storedText() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// Reads the text that `storedText` returns.
    init(stored text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
}

extension Storage {
    /// The most recent entries of the request log, newest first.
    package func requestLog(limit: Int) async throws -> [RequestLogEntry] {
        try await requestLog(before: .max, limit: limit).map(\.entry)
    }
}

/// A request log entry with its number. Newer entries have higher numbers.
package struct NumberedEntry: Equatable, Sendable {
    /// The number, which identifies the entry when it is deleted.
    package let number: Int64
    /// The entry with the reason for the rejection.
    package let entry: RequestLogEntry

    /// A request log entry with its number.
    package init(number: Int64, entry: RequestLogEntry) {
        self.number = number
        self.entry = entry
    }
}
