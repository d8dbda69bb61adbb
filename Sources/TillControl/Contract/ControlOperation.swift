/// How an operation of the control API is called.
public struct ControlOperation: Sendable {
    /// The HTTP method.
    public let method: Method
    /// The path, with `{name}` for each parameter.
    public let path: String
    /// The group of the operation in the OpenAPI document.
    public let tag: Tag
    /// The scope that a token needs.
    public let scope: ControlScope
    /// The HTTP status of the answer.
    public let status: Int
    /// The HTTP status of the answer if the object to create already exists; nil if that makes no difference.
    public let unchangedStatus: Int?
    /// Whether the properties that are not in the path are sent in a body. Otherwise they are sent in the query.
    public let hasBody: Bool

    /// Declares an operation.
    ///
    /// - Parameters:
    ///   - scope: by default, reading for GET and operating for everything else.
    ///   - status: the HTTP status of the answer.
    ///   - unchanged: the status if the object to create already exists.
    ///   - hasBody: by default, true for POST, PUT and PATCH.
    public init(
        _ method: Method,
        _ path: String,
        tag: Tag,
        scope: ControlScope? = nil,
        status: Int = 200,
        unchanged: Int? = nil,
        hasBody: Bool? = nil
    ) {
        self.method = method
        self.path = path
        self.tag = tag
        self.scope = scope ?? (method == .get ? .read : .operate)
        self.status = status
        unchangedStatus = unchanged
        self.hasBody = hasBody ?? [.post, .put, .patch].contains(method)
    }

    /// The methods of the control API.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The names of the parameters in the path, in their order.
    public var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}

extension ControlCallable {
    /// The `operationId` in the OpenAPI document: the name of the type, with a small first letter.
    public static var operationID: String {
        // `String(describing:)` would search all conformances in the program for each type.
        let name = _typeName(Self.self, qualified: false)
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}

extension ControlCallable {
    /// Whether a property that the path does not contain is sent in the query and not in the body.
    package static func isInQuery(_ property: String) -> Bool {
        !operation.hasBody || self is any ControlUpload.Type
            || property == "include" && self is any IncludingRequest.Type
            || property == "settle" && self is any SettlingRequest.Type
    }
}
