import HTTPTypes
import TillControl
import TillCore
import TillShop

/// The values that the rules of a kind of fault can have. The control API checks rules with them, and the console
/// offers them as choices.
package enum FaultValues {
    /// The HTTP statuses of a rule of kind `status`.
    package static let statuses = 500...599
    /// The statuses of verifyReceipt in a rule of kind `receiptStatus`.
    package static let receiptStatuses = 21_000...21_199

    /// The usual HTTP statuses of a server that fails, with their names.
    package static var usualStatuses: [(code: Int, name: String)] {
        let usual: [HTTPResponse.Status] = [
            .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
        ]
        return usual.map { ($0.code, $0.reasonPhrase) }
    }

    /// The errors of a rule of kind `error`, by code.
    package static var errors: [(code: Int, message: String)] { APIError.documentedErrors }

    /// The documented statuses of verifyReceipt, with what each of them means.
    package static var documentedReceiptStatuses: [(code: Int, meaning: String)] {
        ReceiptResult.allCases.compactMap { result in
            guard let code = Int(result.rawValue), receiptStatuses.contains(code) else { return nil }
            return (code, "\(result)")
        }
    }

    /// The routes to which a rule for API calls can be limited, in alphabetical order.
    package static func routes(of kind: FaultKind) -> [String] {
        RouteName.all.filter { $0 == RouteName.verifyReceipt ? kind.isOfVerifyReceipt : kind != .receiptStatus }
    }

    /// The types to which a rule for notifications can be limited: those of version 2 with their subtypes, and those of
    /// version 1.
    package static var notificationTypes: [String] {
        let types = Notice.filters
        return types + VersionOneType.allCases.map(\.rawValue).filter { !types.contains($0) }
    }

    /// Whether a text names a notification type, of any version and with any subtype.
    static func isNotificationType(_ text: String) -> Bool {
        let type = String(text.prefix { $0 != "/" })
        return NotificationType(rawValue: type) != nil || VersionOneType(rawValue: type) != nil
    }
}
