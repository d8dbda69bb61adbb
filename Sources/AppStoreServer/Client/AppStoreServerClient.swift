import AsyncHTTPClient

/// A client of the App Store Server API of one app: Apple's production and sandbox, Till, or any other server.
///
/// ```swift
/// let key = try AppStoreKey(file: "SubscriptionKey.p8", keyID: "2X9R4HXF34", issuerID: issuer)
/// let client = AppStoreServerClient(key: key, bundleID: "com.example.shop", environment: .automatic)
/// for try await transaction in client.transactions(of: id) {
///     print(try transaction.unverifiedPayload().productId)
/// }
/// ```
///
/// Copies of a client share their tokens, their retry budget and their limit of requests. Each function throws
/// `AppStoreServerError`, or `CancellationError` if its task is cancelled.
public struct AppStoreServerClient: Sendable {
    /// The bundle id of the app.
    public let bundleID: String
    /// The servers that the client asks.
    public let environment: ServerEnvironment
    private let sending: RequestSending

    /// A client of an app.
    ///
    /// - Parameters:
    ///   - key: the key that signs the tokens.
    ///   - bundleID: the bundle id of the app.
    ///   - environment: the servers to ask.
    ///   - options: time limits, retries and limits of requests.
    ///   - http: the HTTP client to use; nil for one that all clients share.
    public init(
        key: AppStoreKey,
        bundleID: String,
        environment: ServerEnvironment,
        options: ClientOptions = ClientOptions(),
        http: HTTPClient? = nil
    ) {
        self.init(
            key: key,
            bundleID: bundleID,
            environment: environment,
            options: options,
            transport: HTTPClientTransport(client: http ?? .withoutRetries)
        )
    }

    /// A client with another transport, such as one for tests.
    public init(
        key: AppStoreKey,
        bundleID: String,
        environment: ServerEnvironment,
        options: ClientOptions = ClientOptions(),
        transport: any AppStoreTransport
    ) {
        self.init(
            key: key,
            bundleID: bundleID,
            environment: environment,
            options: options,
            transport: transport,
            time: SystemTime()
        )
    }

    /// A client with another source of time.
    package init(
        key: AppStoreKey,
        bundleID: String,
        environment: ServerEnvironment,
        options: ClientOptions,
        transport: any AppStoreTransport,
        time: any ClientTime
    ) {
        let tokens = TokenCache(key: key, bundleID: bundleID, lifetime: options.tokenLifetime)
        (self.bundleID, self.environment) = (bundleID, environment)
        sending = RequestSending(transport: transport, options: options, time: time, tokens: tokens)
    }

    private init(_ client: AppStoreServerClient, environment: ServerEnvironment) {
        (bundleID, sending, self.environment) = (client.bundleID, client.sending, environment)
    }

    /// The same client for one server: for example the one that answered an earlier call.
    public func at(_ server: ServerAddress) -> AppStoreServerClient {
        AppStoreServerClient(self, environment: ServerEnvironment(server))
    }

    /// The local time, which may be wrong.
    var localTime: Timestamp { sending.time.now }

    /// Sends a call to the servers of the environment, one after another.
    func perform<Value>(_ call: APICall<Value>) async throws -> Answer<Value> {
        try await sending.perform(call, at: environment)
    }
}
