import HTTPTypes
import Hummingbird
import NIOCore
import TillCore

/// Answers for both environments on one port. The host name of the request selects the environment.
package struct HostResponder: HTTPResponder {
    private let hosts: HostTable
    private let production: RouterResponder<APIContext>
    private let sandbox: RouterResponder<APIContext>

    /// - Parameter router: returns the App Store Server API of an environment.
    package init(hosts: HostTable, router: (StoreEnvironment) -> Router<APIContext>) {
        self.hosts = hosts
        production = router(.production).buildResponder()
        sandbox = router(.sandbox).buildResponder()
    }

    /// The answer of the environment; 421 with an explanation for an unknown host name.
    package func respond(to request: Request, context: APIContext) async throws -> Response {
        switch hosts.environment(of: request.head.authority) {
        case .production?: try await production.respond(to: request, context: context)
        case .sandbox?: try await sandbox.respond(to: request, context: context)
        case nil: explanation(request.head.authority)
        }
    }

    private func explanation(_ authority: String?) -> Response {
        let found = authority.flatMap(RequestAuthority.init).map { "\"\($0.name.prefix(253))\"" } ?? "no name"
        let text = """
            On this port the host name selects the environment. The host name of this request is \(found).
            Known names: \(hosts.names.joined(separator: ", ")).
            Add one with --tls-name, or use the port of the environment.

            """
        return .text(text, status: .misdirectedRequest)
    }
}
