import AppStoreServer
import Foundation

/// Turns errors of an App Store server into refusals of the command.
enum AppleErrors {
    /// Runs calls of the client. Its errors become refusals that say what to do.
    static func reported<Value>(_ calls: () async throws -> Value) async throws -> Value {
        do {
            return try await calls()
        } catch let error as AppStoreServerError {
            throw CommandRefused(error)
        }
    }
}

extension CommandRefused {
    /// A refusal by an App Store server, or the message that it does not answer.
    init(_ error: AppStoreServerError) {
        let text = [error.description.sentence, error.advice].compactMap(\.self).joined(separator: " ")
        self.init(text, code: error.word, exitCode: error.reason == .unreachable ? 2 : 1)
    }
}

extension AppStoreServerError {
    /// The code of the error in the output of `--json`.
    fileprivate var word: String {
        switch reason {
        case .refused: code.map { "apple_\($0.rawValue)" } ?? "http_\(status ?? 0)"
        case .unauthenticated: "unauthenticated"
        case .clockSkew: "clock_skew"
        case .receipt(let status): "receipt_\(status.rawValue)"
        case .invalidAnswer: "invalid_answer"
        case .unreachable: "server_not_reached"
        case .limited: "limited"
        }
    }

    /// What the user can do; nil if the message says it.
    fileprivate var advice: String? {
        if let known = code?.known, let advice = Self.advice(known) { return advice }
        if case .receipt(let status) = reason { return status.known.flatMap(Self.advice) }
        if let retryAfter { return "Try again in \(retryAfter.components.seconds) seconds." }
        if reason == .unreachable { return "Check the server (--url; --from of an import) and the network." }
        return canRetry ? "Try again later." : nil
    }

    private static func advice(_ code: AppStoreErrorCode) -> String? {
        switch code {
        case .transactionIdNotFound, .originalTransactionIdNotFound:
            "Check the id, the bundle id and --environment: automatic asks production and the sandbox."
        case .invalidTransactionId, .invalidOriginalTransactionId:
            "Give a transaction id, which has only digits. An order id is for till apple order."
        case .appTransactionDoesNotExist:
            "The App Store has no app transaction of this customer."
        case .invalidAppIdentifier, .appNotFound:
            "Check the bundle id (--bundle)."
        case .transactionIdIsNotOriginalTransactionId:
            "Give the original transaction id."
        case .startDateTooFarInPast:
            "Apple keeps notifications for 180 days, in the sandbox for 30. Give a smaller --days."
        default: nil
        }
    }

    private static func advice(_ status: ReceiptStatus) -> String? {
        switch status {
        case .malformedReceipt: "Give the receipt as the app has it: the file, or its Base64."
        case .notAuthentic: "The receipt was changed, or another store signed it."
        case .wrongSharedSecret: "Give the app's shared secret with --secret."
        case .sandboxReceipt: "Give --environment sandbox or automatic."
        case .productionReceipt: "Give --environment production or automatic."
        default: nil
        }
    }
}
