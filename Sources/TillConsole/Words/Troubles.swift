import HTTPTypes
import TillServer

/// What the console itself refuses; what acts are refused for, the verbs say.
extension ControlError {
    static let missingPage = missing("There is no such page.")
    static let signedOut = ControlError(status: .unauthorized, code: "signed_out", message: "Sign in again.")
    static let foreign = ControlError(
        status: .forbidden,
        code: "foreign_form",
        message: "The form is not one of this console's, or it is too old. Load its page again, and repeat it."
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
