import Logging

/// How a client sends its requests.
public struct ClientOptions: Sendable {
    /// The time limit of one request with its answer.
    public var attemptTimeout = Duration.seconds(30)
    /// The time limit of a call, with all attempts and waits. A wait that would end later is not begun: the call fails
    /// at once with the last error.
    public var deadline = Duration.seconds(90)
    /// The maximum number of requests for a call; 1 turns retries off.
    public var maxAttempts = 5
    /// The wait after the first failure. It doubles with each further failure, up to `maxBackoff`, and a random part of
    /// up to a half is subtracted. The `Retry-After` of the server is added.
    public var backoff = Duration.milliseconds(300)
    /// The maximum wait between two attempts, without `Retry-After`.
    public var maxBackoff = Duration.seconds(20)
    /// Retries that all copies of the client may make at once. Each retry takes one, and each call returns a fifth of
    /// one, so that a broken server gets at most 20 % more requests in the long run.
    public var retryBudget = 20
    /// The maximum number of requests a second, for all copies of the client; nil for no limit. Apple permits 50 for
    /// most calls, 10 for orders and refunds, and a tenth of both in the sandbox.
    public var requestsPerSecond: Double? = 50
    /// The maximum length of an answer, in bytes.
    public var maxAnswerBytes = 16 * 1_024 * 1_024
    /// The lifetime of a token, at most 60 minutes. A client makes a new one five minutes before its end.
    public var tokenLifetime = Duration.seconds(20 * 60)
    /// Whether a client whose token is refused takes the time of the server's `Date` header, if it differs by more than
    /// a minute, and tries once more.
    public var correctsClockSkew = true
    /// `User-Agent` of the requests.
    public var userAgent = "till-app-store-server-client"
    /// A logger for retries and changes of the clock; nil for none. It never gets tokens, keys or payloads.
    public var logger: Logger?

    /// The default options.
    public init() {}
}
