import AsyncHTTPClient
import Foundation
import TillJSON

/// A client of verifyReceipt, which Apple deprecated (docs/api/receipts/verify-receipt.md). It needs no key.
public struct VerifyReceiptClient: Sendable {
    /// The servers that the client asks.
    public let environment: ServerEnvironment
    private let sending: RequestSending

    /// A client.
    ///
    /// - Parameters:
    ///   - environment: the servers to ask; by default production, and the sandbox after 21007.
    ///   - options: time limits, retries and limits of requests.
    ///   - http: the HTTP client to use; nil for one that all clients share.
    public init(
        environment: ServerEnvironment = .automatic,
        options: ClientOptions = ClientOptions(),
        http: HTTPClient? = nil
    ) {
        self.init(
            environment: environment,
            options: options,
            transport: HTTPClientTransport(client: http ?? .withoutRetries)
        )
    }

    /// A client with another transport, such as one for tests.
    public init(
        environment: ServerEnvironment = .automatic,
        options: ClientOptions = ClientOptions(),
        transport: any AppStoreTransport
    ) {
        self.init(environment: environment, options: options, transport: transport, time: SystemTime())
    }

    /// A client with another source of time.
    package init(
        environment: ServerEnvironment,
        options: ClientOptions,
        transport: any AppStoreTransport,
        time: any ClientTime
    ) {
        self.environment = environment
        sending = RequestSending(transport: transport, options: options, time: time, tokens: nil)
    }

    /// Verifies a receipt and reads it.
    ///
    /// - Parameters:
    ///   - receipt: the receipt, as the app has it.
    ///   - sharedSecret: the shared secret of the app; required if the receipt has auto-renewable subscriptions.
    ///   - excludesOldTransactions: whether only the latest transaction of each subscription is answered.
    /// - Throws: `AppStoreServerError` with the reason `receipt` for a status other than 0 and 21006.
    public func verify(
        _ receipt: [UInt8],
        sharedSecret: String? = nil,
        excludesOldTransactions: Bool = false
    ) async throws -> Answer<VerifyReceiptResponse> {
        try await verify(
            base64: Data(receipt).base64EncodedString(),
            sharedSecret: sharedSecret,
            excludesOldTransactions: excludesOldTransactions
        )
    }

    /// Verifies a receipt in base64.
    ///
    /// - Throws: `AppStoreServerError` with the reason `receipt` for a status other than 0 and 21006.
    public func verify(
        base64 receipt: String,
        sharedSecret: String? = nil,
        excludesOldTransactions: Bool = false
    ) async throws -> Answer<VerifyReceiptResponse> {
        let body = JSONTree.members([
            "receipt-data": .string(receipt), "password": .text(sharedSecret),
            "exclude-old-transactions": excludesOldTransactions ? .bool(true) : nil,
        ])
        return try await sending.perform(.receipt(body), at: environment)
    }
}

extension APICall<VerifyReceiptResponse> {
    fileprivate static func receipt(_ body: JSONTree) -> APICall {
        var call = APICall(.post, ["verifyReceipt"], body: body) { bytes in
            let answer = try VerifyReceiptResponse(raw: RawObject(utf8: bytes))
            if answer.status == .valid || answer.status == .subscriptionExpired { return answer }
            throw ReceiptRefusal(status: answer.status, isRetryable: answer.isRetryable)
        }
        call.isReceipt = true
        call.isSought = true
        return call
    }
}

/// A status of verifyReceipt other than success.
struct ReceiptRefusal: Error {
    let status: OpenValue<ReceiptStatus>
    /// Whether the same request may succeed later.
    let canRetry: Bool

    init(status: OpenValue<ReceiptStatus>, isRetryable: Bool?) {
        self.status = status
        let isTemporary =
            status == .unavailable || status == .internalError || (21_100...21_199).contains(status.rawValue)
        canRetry = isTemporary && isRetryable ?? true
    }
}
