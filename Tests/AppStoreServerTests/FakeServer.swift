import Crypto
import Foundation
import Synchronization
import TillJSON

@testable import AppStoreServer

/// A time that passes only while a client waits, or while a fake server is slow.
final class TestTime: ClientTime {
    private struct Clocks: Sendable {
        var elapsed = Duration.zero
        /// The wall clock in relation to the elapsed time.
        var start = TestTime.start
        var sleeps: [Duration] = []
    }

    /// 2026-01-01 00:00:00 UTC.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)
    private let clocks = Mutex(Clocks())

    var now: Timestamp { clocks.withLock { $0.start + $0.elapsed } }
    var elapsed: Duration { clocks.withLock { $0.elapsed } }
    /// The waits of the client so far.
    var sleeps: [Duration] { clocks.withLock { $0.sleeps } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        clocks.withLock { clocks in
            clocks.sleeps.append(duration)
            clocks.elapsed += duration
        }
    }

    func pass(_ duration: Duration) { clocks.withLock { $0.elapsed += duration } }
    func setWallClock(_ time: Timestamp) { clocks.withLock { $0.start = time - $0.elapsed } }
    func random() -> Double { 0 }
}

/// A transport that answers with a function.
final class FakeServer: AppStoreTransport {
    typealias Responder = @Sendable (TransportRequest, Int, TestTime) throws -> TransportResponse

    let time = TestTime()
    private let received = Mutex([TransportRequest]())
    private let limits = Mutex([Duration]())
    private let respond: Responder

    /// - Parameter respond: gets each request, its number from 0, and the time.
    init(_ respond: @escaping Responder) { self.respond = respond }

    /// A server that gives these answers in turn, and the last one again and again.
    convenience init(_ responses: TransportResponse...) {
        self.init { _, index, _ in responses[min(index, responses.count - 1)] }
    }

    var requests: [TransportRequest] { received.withLock { $0 } }
    /// The time limits of the requests.
    var timeouts: [Duration] { limits.withLock { $0 } }

    func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
        let index = received.withLock { received in
            received.append(request)
            return received.count - 1
        }
        limits.withLock { $0.append(timeout) }
        return try respond(request, index, time)
    }

    // MARK: Clients

    static let privateKey = P256.Signing.PrivateKey()

    static func key() throws -> AppStoreKey {
        try AppStoreKey(pem: privateKey.pemRepresentation, keyID: "2X9R4HXF34", issuerID: "an-issuer")
    }

    func client(
        _ environment: ServerEnvironment = .custom("http://till"),
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> AppStoreServerClient {
        var options = ClientOptions()
        options.requestsPerSecond = nil
        change(&options)
        return AppStoreServerClient(
            key: try Self.key(),
            bundleID: "com.example.shop",
            environment: environment,
            options: options,
            transport: self,
            time: time
        )
    }
}

extension TransportResponse {
    static func json(_ text: String, status: Int = 200, _ headers: [(name: String, value: String)] = []) -> Self {
        TransportResponse(
            status: status,
            headers: [(name: "Content-Type", value: "application/json")] + headers,
            body: Array(text.utf8)
        )
    }

    /// An error object.
    static func error(_ code: Int, _ headers: [(name: String, value: String)] = []) -> Self {
        json(#"{"errorCode":\#(code),"errorMessage":"Message \#(code)."}"#, status: code / 10_000, headers)
    }

    /// A page of a history with transactions of these ids.
    static func history(_ ids: [Int], revision: String, hasMore: Bool) -> Self {
        let list = ids.map { "\"\(transaction("\($0)"))\"" }.joined(separator: ",")
        return json(#"{"revision":"\#(revision)","hasMore":\#(hasMore),"signedTransactions":[\#(list)]}"#)
    }

    static let transactionInfo = json(#"{"signedTransactionInfo":"\#(transaction("1"))"}"#)
}

/// A JWS whose signature is no signature.
func unsigned(_ payload: String) -> String {
    let parts = [#"{"alg":"ES256"}"#, payload, "signature"].map { part in
        Data(part.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    return parts.joined(separator: ".")
}

/// A signed transaction with an id.
func transaction(_ id: String) -> String {
    unsigned(
        #"{"transactionId":"\#(id)","originalTransactionId":"1","bundleId":"com.example.shop","productId":"pro","#
            + #""purchaseDate":1767225600000,"signedDate":1767225600123,"environment":"Sandbox"}"#
    )
}

/// The error that a call throws.
func failure(_ call: () async throws -> some Any) async throws -> AppStoreServerError? {
    do {
        _ = try await call()
        return nil
    } catch let error as AppStoreServerError {
        return error
    }
}
