import HTTPTypes
import Hummingbird
import Logging
import TillCore
import TillShop
import TillStorage

/// Turns errors into answers of the control API.
extension ControlError {
    /// Creates the answer to an error. For an unexpected error the code is `internal`, and only the log has the cause.
    package init(of error: any Error, logger: Logger) {
        self = Self.known(error) ?? Self.unforeseen(error, logger)
    }

    private static func known(_ error: any Error) -> ControlError? {
        switch error {
        case let error as ControlError:
            return error
        case let refusal as Refusal:
            return ControlError(status: refusal.status, code: refusal.code, message: refusal.explanation)
        case let refused as CatalogRefused:
            return .bad("bad_document", refused.description, refused.faults)
        case let refused as TokenRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as ClockRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as ImportRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as StateRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as TriggerRefused:
            return .conflict("not_triggered", "\(refused.reason.capitalizedFirst).")
        case let refused as OfferProofRefused:
            return ControlError(status: .unprocessableContent, code: "offer_signature", message: refused.explanation)
        case let busy as ShopBusy:
            return Self.busy(busy.reason)
        case let damaged as DamagedAccount: return Self.damaged("damaged_account", damaged.description)
        case let damaged as DamagedRow: return Self.damaged("damaged_row", damaged.description)
        case let error as APIError:
            return .bad("bad_request", error.explanation, [])
        case let error as HTTPError where error.status == .notFound:
            return .notFound("no_such_route", "No such route. See /openapi.json for the routes.")
        default: return nil
        }
    }

    private static func busy(_ reason: String) -> ControlError {
        ControlError(status: .serviceUnavailable, code: "busy", message: "\(reason). Try again.")
    }

    private static func damaged(_ code: String, _ description: String) -> ControlError {
        ControlError(status: .internalServerError, code: code, message: "\(description.capitalizedFirst).")
    }

    private static func unforeseen(_ error: any Error, _ logger: Logger) -> ControlError {
        guard error.isTransient else {
            logger.error("a control request failed", metadata: ["cause": "\(error.logText)"])
            let message = "Till failed. See its log for the cause."
            return ControlError(status: .internalServerError, code: "internal", message: message)
        }
        logger.warning("the store did not answer", metadata: ["cause": "\(error.logText)"])
        return busy(error.passingWords)
    }
}

extension Refusal {
    /// The error code: the name of the enum case in snake case.
    var code: String {
        let name = String(describing: self).prefix { $0 != "(" }
        return name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// The HTTP status: 404 for missing objects, 400 for invalid values, 409 for operations that are not possible now.
    var status: HTTPResponse.Status {
        switch self {
        case .unknownAccount, .unknownTransaction, .unknownProduct, .unknownOrder, .unknownOffer, .unknownSubscription,
            .unknownHeldPurchase:
            .notFound
        case .badQuantity, .badPrice, .badAppAccountToken, .badPercentage: .badRequest
        default: .conflict
        }
    }
}

extension ClockRefused {
    fileprivate var status: HTTPResponse.Status {
        if code.hasPrefix("unknown_") { return .notFound }
        if code == "production_guarded" { return .forbidden }
        return code.hasPrefix("bad_") ? .badRequest : .conflict
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
