/// An error: what is wrong, and what to do.
public struct ErrorInfo: ControlObject {
    /// The machine-readable code.
    public var code: String
    /// The message for users.
    public var message: String
    /// The errors in the body and in the query parameters; absent if they are correct.
    public var faults: [FaultInfo]?

    public init(code: String, message: String, faults: [FaultInfo]? = nil) {
        self.code = code
        self.message = message
        self.faults = faults
    }
}

/// An error at one place of a request.
public struct FaultInfo: ControlObject, Hashable {
    /// The JSON path of the value, which begins with `$`, or the name of a query parameter.
    public var path: String
    /// The expected value, or what is wrong.
    public var expected: String
    /// The value in the request.
    public var found: String

    public init(path: String, expected: String, found: String) {
        self.path = path
        self.expected = expected
        self.found = found
    }
}
