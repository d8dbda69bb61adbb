import HTTPTypes
import TillServer

/// Errors of the console itself. Errors of actions come from the control operations.
extension ControlError {
    static let missingPage = missing("No such page.")
    static let signedOut = ControlError(
        status: .unauthorized,
        code: "signed_out",
        message: "You are signed out. Sign in again."
    )
    static let foreign = ControlError(
        status: .forbidden,
        code: "foreign_form",
        message: "The form is not from this console or is out of date. Reload the page and try again."
    )

    static func missing(_ message: String) -> ControlError {
        ControlError(status: .notFound, code: "no_such_page", message: message)
    }

    static func busy(_ message: String) -> ControlError {
        ControlError(status: .serviceUnavailable, code: "busy", message: message)
    }

    static func badForm(_ reason: String) -> ControlError {
        ControlError(status: .badRequest, code: "bad_form", message: reason)
    }
}
