import TillJSON

/// A request to the control API of a Till server. One type declares an operation completely: its method and path, the
/// fields of the request, and the type of the answer. The server, the OpenAPI document, the command and the console
/// derive from it.
///
/// Properties that the path contains in braces are sent in the path; an object whose properties are all in the path,
/// such as `AppEnvironment`, is sent there, too. All other properties are sent in the query (GET, DELETE, uploads and
/// other operations without a body) or else in the JSON body. The doc comments are the descriptions in the OpenAPI
/// document.
public protocol ControlRequest: ControlCallable {
    /// What the server answers; `NoAnswer` for an operation that answers without a body.
    associatedtype Answer: Codable & Sendable
}

/// A request for any operation, also for one whose answer is not an object.
public protocol ControlCallable: ControlObject {
    /// Method, path, tag and scope.
    static var operation: ControlOperation { get }
}

/// A request whose answer is streamed as JSON lines.
public protocol ControlDownload: ControlCallable {}

/// A request whose body is a document of another format, or a stream of JSON lines.
public protocol ControlUpload: ControlRequest {
    /// The media type of the body.
    static var mediaType: String { get }
}

/// A request whose body is one JSON document. The server reads it with a parser of its own, which reports every error
/// with its place.
public protocol DocumentUpload: ControlUpload {
    /// The type of the document.
    associatedtype Document: Codable & Sendable
}

extension DocumentUpload {
    /// JSON.
    public static var mediaType: String { "application/json" }
}

/// An object in a request or in an answer.
public protocol ControlObject: Codable, Sendable {
    /// The limits of properties beyond their types.
    static var limits: [ControlLimit] { get }
}

extension ControlObject {
    /// No limits.
    public static var limits: [ControlLimit] { [] }
}

/// The answer of an operation that answers without a body.
public struct NoAnswer: ControlObject {
    /// An empty answer.
    public init() {}
}

/// A request that concerns an app.
public protocol AppRequest: ControlRequest {
    /// The app's bundle identifier.
    var bundleId: String { get }
}

/// A request that concerns an app in one of its environments.
public protocol EnvironmentRequest: ControlRequest {
    /// The app and its environment.
    var app: AppEnvironment { get }
}

/// A request that concerns a customer of an app.
public protocol CustomerRequest: EnvironmentRequest {
    /// The customer's name in Till.
    var customer: String { get }
}

/// A request that concerns a transaction.
public protocol TransactionRequest: EnvironmentRequest {
    /// A transaction id.
    var transactionId: String { get }
}

/// A request that concerns a subscription.
public protocol SubscriptionRequest: EnvironmentRequest {
    /// The subscription's original transaction id, or any of its transaction ids.
    var originalTransactionId: String { get }
}

/// A request for an operation that can happen at a chosen time.
public protocol DatedRequest: ControlRequest {
    /// The time of the operation, in milliseconds since 1970, from 2008 to 2100; now by default.
    var at: Timestamp? { get }
}

/// A request that creates a customer if necessary.
public protocol CreatingRequest: EnvironmentRequest {
    /// The name of the customer clock of a new customer; by default the environment's clock. A customer who exists must
    /// already be on this clock.
    var clock: String? { get }
    /// Only for a new customer, and not with `clock`: creates a frozen customer clock with the customer's name, which
    /// shows this time, in milliseconds since 1970.
    var newClock: Timestamp? { get }
}

/// A request whose answer has parts that are signed only when the request asks for them.
public protocol IncludingRequest: ControlRequest {
    /// The parts of the transaction that the answer contains, sent in the query; none by default.
    var include: [TransactionPart]? { get set }
}

extension IncludingRequest {
    /// The same request with the parts of the transaction that the answer contains.
    public func including(_ parts: [TransactionPart]) -> Self {
        var request = self
        request.include = parts
        return request
    }
}

/// A request for an operation that can cause notifications. Its answer can wait until they are delivered.
public protocol SettlingRequest: ControlRequest where Answer: SettledAnswer {
    /// How many seconds the answer waits at most, until every notification that the operation causes is delivered or
    /// cannot be delivered in this time. Sent in the query; without it, the answer does not wait.
    var settle: Int? { get set }
}

extension SettlingRequest {
    /// The same request with the number of seconds that the answer waits at most for deliveries.
    public func settling(_ seconds: Int?) -> Self {
        var request = self
        request.settle = seconds
        return request
    }
}

/// The answer of an operation that can cause notifications.
public protocol SettledAnswer: ControlObject {
    /// The deliveries of the notifications that the operation caused; only with `settle`.
    var settled: SettledInfo? { get set }
}

/// A limit of a property.
public struct ControlLimit: Sendable {
    enum Kind: Sendable {
        case range(ClosedRange<Int64>)
        case format(String)
        case example(String)
    }

    let key: String
    let kind: Kind

    /// The lowest and the highest value of an integer.
    public static func range(_ key: some CodingKey, _ range: ClosedRange<Int64>) -> ControlLimit {
        ControlLimit(key: key.stringValue, kind: .range(range))
    }

    /// The lowest and the highest time on a clock.
    public static func clockTime(_ key: some CodingKey) -> ControlLimit { range(key, clockTimes) }

    /// The times that a clock can show, in milliseconds since 1970.
    package static let clockTimes =
        ClockLimits.times.lowerBound.milliseconds...ClockLimits.times.upperBound.milliseconds

    /// The lowest and the highest speed of a clock, as a multiple of real time.
    public static func clockSpeed(_ key: some CodingKey) -> ControlLimit { range(key, 1...ClockLimits.maxSpeed) }

    /// The number of seconds that an answer can wait for deliveries.
    package static let settlingSeconds: ClosedRange<Int64> = 0...60

    /// The format of a string, as in JSON Schema, such as `uuid`.
    public static func format(_ key: some CodingKey, _ name: String) -> ControlLimit {
        ControlLimit(key: key.stringValue, kind: .format(name))
    }

    /// An example of a string.
    public static func example(_ key: some CodingKey, _ text: String) -> ControlLimit {
        ControlLimit(key: key.stringValue, kind: .example(text))
    }
}
