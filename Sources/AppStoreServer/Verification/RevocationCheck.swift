import AsyncHTTPClient

/// Whether a verifier asks if certificates were revoked.
public struct RevocationCheck: Sendable {
    /// The time limit for one answer.
    static let timeout = Duration.seconds(8)
    /// The maximum length of an answer in bytes. Those of Apple have less than 4,000.
    static let maxBytes = 64 << 10

    let transport: (any AppStoreTransport)?

    /// Nothing is asked, and certificates must have been valid when the data was signed. For data of any age.
    public static let none = RevocationCheck(transport: nil)

    /// The OCSP responder in the certificates is asked, and certificates must be valid now. A good answer counts for 15
    /// minutes.
    ///
    /// - Parameter http: the HTTP client to use; nil for one that all clients share.
    public static func online(http: HTTPClient? = nil) -> RevocationCheck {
        RevocationCheck(transport: HTTPClientTransport(client: http ?? .withoutRetries))
    }

    /// The same with another transport, such as one for tests.
    public static func online(transport: any AppStoreTransport) -> RevocationCheck {
        RevocationCheck(transport: transport)
    }

    private init(transport: (any AppStoreTransport)?) { self.transport = transport }

    /// Sends an OCSP request. Only certificates under a trusted root decide on the URL.
    static func fetch(
        _ request: [UInt8],
        _ url: String,
        over transport: any AppStoreTransport
    ) async throws -> [UInt8] {
        let request = TransportRequest(
            method: "POST",
            url: url,
            headers: [("Content-Type", "application/ocsp-request"), ("Accept", "application/ocsp-response")],
            body: request
        )
        let answer = try await transport.send(request, timeout: timeout, maxBytes: maxBytes)
        guard answer.status == 200 else {
            throw TransportFailure(cause: "status \(answer.status) from \(url)", mayHaveArrived: true)
        }
        return answer.body
    }
}

extension TransportFailure: CustomStringConvertible {
    /// What failed.
    public var description: String { cause }
}
