/// The servers that a client asks.
public struct ServerEnvironment: Hashable, Sendable {
    /// The servers, in the order in which they are asked. The second is asked about what the first does not know.
    public let servers: [ServerAddress]

    /// Real purchases.
    public static let production = ServerEnvironment(.production)
    /// The purchases of the sandbox and of TestFlight.
    public static let sandbox = ServerEnvironment(.sandbox)
    /// Production first. A transaction that is unknown there (4040010, 4040005), and a receipt that belongs to the
    /// sandbox (21007), are then sought in the sandbox, as Apple advises. A call that is not about a transaction or a
    /// receipt goes to production only.
    public static let automatic = ServerEnvironment(servers: [.production, .sandbox])

    /// Another server, such as Till: `.custom("http://127.0.0.1:8889")`.
    ///
    /// - Parameter url: the URL in front of the paths, which begin with `/inApps` and `/verifyReceipt`.
    public static func custom(_ url: String) -> ServerEnvironment { ServerEnvironment(ServerAddress(url: url)) }

    /// The same as `automatic`, with the environments of another server.
    public static func automatic(production: String, sandbox: String) -> ServerEnvironment {
        ServerEnvironment(servers: [
            ServerAddress(url: production, environment: .production),
            ServerAddress(url: sandbox, environment: .sandbox),
        ])
    }

    /// One server.
    public init(_ server: ServerAddress) { servers = [server] }

    private init(servers: [ServerAddress]) { self.servers = servers }
}

/// The address of a server of one environment.
public struct ServerAddress: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The URL of the App Store Server API, without a slash at its end.
    public let url: String
    /// The URL of verifyReceipt, without its path.
    public let receiptURL: String
    /// The environment of the server; nil if it is not known.
    public let environment: StoreEnvironment?

    /// Apple's production.
    public static let production = ServerAddress(
        url: "https://api.storekit.apple.com",
        receiptURL: "https://buy.itunes.apple.com",
        environment: .production
    )
    /// Apple's sandbox.
    public static let sandbox = ServerAddress(
        url: "https://api.storekit-sandbox.apple.com",
        receiptURL: "https://sandbox.itunes.apple.com",
        environment: .sandbox
    )

    /// The address of another server.
    ///
    /// - Parameters:
    ///   - url: the URL in front of the paths.
    ///   - receiptURL: the URL of verifyReceipt, if it is another one.
    ///   - environment: the environment of the server; nil if it is not known.
    public init(url: String, receiptURL: String? = nil, environment: StoreEnvironment? = nil) {
        self.url = url.last == "/" ? String(url.dropLast()) : url
        self.receiptURL = receiptURL ?? self.url
        self.environment = environment
    }

    /// The URL of the API, without a user name and password in it.
    public var description: String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let host = url[start...].prefix { $0 != "/" }
        guard let at = host.lastIndex(of: "@") else { return url }
        return "\(url[..<start])\(url[url.index(after: at)...])"
    }
}
