import TillJSON

/// A refusal of the server.
public struct ControlFailure: Error, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The machine-readable code, the message, and the faults in the request body.
    public let error: ErrorInfo

    /// A refusal with a status.
    public init(status: Int, error: ErrorInfo) {
        self.status = status
        self.error = error
    }

    /// A refusal from the body of an answer, which another server than Till may have sent.
    init(status: Int, body: [UInt8]) {
        let known = try? JSONTree.parse(body).decode(ErrorInfo.self)
        let unknown = ErrorInfo(code: "http_\(status)", message: "The server answered \(status).")
        self.init(status: status, error: known ?? unknown)
    }

    /// The message.
    public var description: String { error.message }
}

/// No complete answer of a server arrived. It is unknown whether the request had an effect.
public struct ControlUnreachable: Error, CustomStringConvertible {
    /// The URL of the request.
    public let url: String
    /// What failed.
    public let cause: String
    /// Whether the request may have reached the server. It is false if no connection was made.
    public let mayHaveArrived: Bool

    /// The URL and the cause.
    public var description: String { "No answer from \(url): \(cause)" }
}
