import HTTPTypes
import NIOCore
import TillCore
import TillShop

/// Who calls operations of the control API, and what the caller may do.
package struct Principal: Equatable, Sendable {
    /// The name in the audit log: of a token, or one of `CallerName`.
    package let name: String
    /// What the caller may do.
    package let scope: ControlScope
    /// The bundle id of the only app that the caller may read and change; nil for all apps and the server.
    package let app: String?
    /// The caller's network address without the port; nil if unknown.
    package var address: String?

    /// Who calls the operation that the current task runs; nil outside of operations.
    @TaskLocal package static var current: Principal?

    /// The holder of the administrator's token.
    package static let administrator = Principal(name: CallerName.administrator, scope: .administer, app: nil)
    /// A client without a token, where the control API requires none.
    package static let loopback = Principal(name: CallerName.loopback, scope: .administer, app: nil)
    /// A user of the console, where it requires no sign-in.
    package static let console = Principal(name: CallerName.console, scope: .administer, app: nil)

    private init(name: String, scope: ControlScope, app: String?) {
        self.name = name
        self.scope = scope
        self.app = app
    }

    /// The holder of a named token.
    package init(_ token: ControlToken) { self.init(name: token.name, scope: token.scope, app: token.app) }

    /// The same caller at a network address.
    package func at(_ address: SocketAddress?) -> Principal {
        var caller = self
        caller.address = address?.ipAddress
        return caller
    }

    /// Checks that the caller may call an operation.
    ///
    /// - Parameter bundleID: the app in the path; nil for an operation on the whole server.
    /// - Throws: `ControlError` with the status 403.
    func check(_ route: ControlRoute, of bundleID: String?) throws(ControlError) {
        try check(route.scope, for: route.id, of: route.selectsByCaller ? app : bundleID)
    }

    /// Checks that the caller may do something.
    ///
    /// - Parameters:
    ///   - needed: the scope that a token needs.
    ///   - subject: an operation id or a path, for the message.
    ///   - bundleID: the app in the path; nil for something that concerns the whole server.
    /// - Throws: `ControlError` with the status 403.
    package func check(_ needed: ControlScope, for subject: String, of bundleID: String?) throws(ControlError) {
        guard scope >= needed else {
            throw ControlError(
                status: .forbidden,
                code: "insufficient_scope",
                message: "\(subject) needs the scope \(needed.rawValue), but the token \(name) has the scope "
                    + "\(scope.rawValue). Use another token (till token create NAME --scope \(needed.rawValue))."
            )
        }
        guard let app, bundleID != app else { return }
        throw ControlError(
            status: .forbidden,
            code: "other_app",
            message: "The token \(name) permits only operations on the app \(app), and \(subject) "
                + (bundleID == nil ? "concerns the whole server." : "was called for another app.")
                + " Name that app (--app \(app), or TILL_APP), or use a token for all apps."
        )
    }
}
