import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TillCore

/// Why an exchange has no answer.
struct WebhookFailure: Error {
    let result: SendAttemptResult
    /// An explanation without secrets.
    let explanation: String
    /// Whether the server probably did not receive the request, because it had already closed the reused connection.
    var isUntaken = false
    /// Why Till refused to connect to the address; nil for every other failure.
    var refusal: String?

    init(_ result: SendAttemptResult, _ explanation: String, isUntaken: Bool = false) {
        self.result = result
        self.explanation = explanation
        self.isUntaken = isUntaken
    }

    /// Till did not connect, because it may not send deliveries to any address of the server.
    init(refused reason: String, at origin: WebhookOrigin) {
        self.init(.other, "nothing was sent to \(origin): \(reason)")
        refusal = reason
    }

    /// Classifies an error.
    ///
    /// - Parameter answerBegan: whether bytes of the answer had arrived.
    init(_ error: any Error, at origin: WebhookOrigin, answerBegan: Bool = false) {
        switch error {
        case let failure as WebhookFailure:
            self = failure
        case let error as NIOConnectionError:
            self.init(connecting: error, to: origin)
        case is HostLookup.UnknownName:
            self.init(.socketIssue, "the name \(origin.host) was not resolved")
        case ChannelError.connectTimeout:
            self.init(.timedOut, "no connection to \(origin) within the time limit")
        case let error as IOError:
            self.init(error, at: "\(origin)", answerBegan: answerBegan)
        case HTTPParserError.headerOverflow:
            self.init(.other, "the header of the answer from \(origin) exceeds 64 KiB or 256 fields")
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
            self.init(.prematureClose, "\(origin) ended the connection in the middle of its answer")
        case let error as HTTPParserError:
            self.init(.invalidResponse, "the answer from \(origin) is not HTTP: \(error.debugDescription)")
        case is NIOHTTPDecoderError:
            self.init(.invalidResponse, "\(origin) sent an answer before the request")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tlsIssue, "TLS with \(origin) failed: \(Self.reason(of: error))")
        default:
            self.init(.other, "the exchange with \(origin) failed: \(type(of: error))")
        }
    }

    private init(connecting error: NIOConnectionError, to origin: WebhookOrigin) {
        guard let last = error.connectionErrors.last else {
            self.init(HostLookup.UnknownName(), at: origin)
            return
        }
        if let cause = last.error as? IOError {
            let address = last.target.ipAddress.map { $0.contains(":") ? "[\($0)]" : $0 } ?? origin.host
            self.init(cause, at: "\(address):\(origin.port)", answerBegan: false)
        } else {
            self.init(last.error, at: origin)
        }
    }

    private init(_ error: IOError, at place: String, answerBegan: Bool) {
        switch error.errnoCode {
        case ETIMEDOUT:
            self.init(.timedOut, "\(place) did not respond")
        case _ where answerBegan:
            self.init(.prematureClose, "\(place) broke the connection in the middle of its answer")
        case ECONNREFUSED:
            self.init(.socketIssue, "connection refused by \(place)")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            self.init(.socketIssue, "\(place) is unreachable")
        case ECONNRESET, EPIPE:
            self.init(.socketIssue, "connection reset by \(place) before an answer")
        default:
            self.init(.socketIssue, "the connection to \(place) failed: error \(error.errnoCode)")
        }
    }

    /// The reason of a TLS failure, without source locations.
    private static func reason(of error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(let cause):
            return reason(of: cause)
        case BoringSSLError.sslError(let stack), BoringSSLError.unknownError(let stack):
            let texts = stack.map { "\($0)" }
            let text = texts.first { $0.contains("CERTIFICATE_VERIFY_FAILED") } ?? texts.first ?? "unknown"
            guard let range = text.range(of: "OPENSSL_internal:") else {
                return text.contains("EOF") ? "the connection ended during the handshake" : "the handshake failed"
            }
            let words = text[range.upperBound...].prefix { $0 != " " }
            if words == "CERTIFICATE_VERIFY_FAILED" {
                return "the certificate is not valid (expired, self-signed, unknown issuer or incomplete chain)"
            }
            return words.lowercased().replacing("_", with: " ")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "the certificate is for another host"
        default:
            return "\(error)"
        }
    }
}
