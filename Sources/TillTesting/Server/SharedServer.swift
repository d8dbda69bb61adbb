import Foundation

extension Till {
    /// A Till server on which tests have their apps.
    public struct Server: Sendable {
        /// A client of the control API.
        public let control: ControlClient
        /// The root certificate that verifiers of signed data must trust, in PEM.
        public let rootCertificate: String
        /// Deletes the apps of the tests when their process ends; nil if the server ends with it.
        let cleanup: Cleanup?
        /// The process of a server that ends with the tests; nil if the server runs for itself.
        private let process: ServerProcess?
        private let production: String
        private let sandbox: String

        /// The address of the App Store Server API of an environment.
        public func address(of environment: StoreEnvironment) -> String {
            switch environment {
            case .production: production
            case .sandbox: sandbox
            }
        }

        /// A server that runs.
        ///
        /// - Parameters:
        ///   - control: the URL of its control API.
        ///   - token: a token of the control API that may administer; a server on the same machine needs none by
        ///     default.
        public init(control url: String, token: String? = nil) async throws {
            try await self.init(control: url, token: token, process: nil)
        }

        /// - Parameter addresses: the addresses of the environments, where a container maps the ports to others.
        init(
            control url: String,
            token: String? = nil,
            process: ServerProcess?,
            addresses: (production: String?, sandbox: String?) = (nil, nil)
        ) async throws {
            self.process = process
            control = ControlClient(connectingOnce: url, token: token)
            let ports: PortsInfo
            do {
                ports = try await control.send(GetStatus(), timeout: .seconds(20)).ports
            } catch let error as ControlUnreachable {
                throw TillTestingError(
                    "No answer from the control API at \(url): \(error.cause). Start this server, or unset "
                        + "TILL_CONTROL, so that the tests start one."
                )
            }
            rootCertificate = try await control.send(GetAuthority()).rootCertificate
            guard var address = URLComponents(string: control.url), address.host != nil else {
                throw TillTestingError("\(url) is not a URL of a control API, such as http://127.0.0.1:8890.")
            }
            // Both environments are on the host of the control API, without a path and without TLS.
            (address.scheme, address.path) = ("http", "")
            address.port = ports.production
            production = addresses.production ?? address.string ?? ""
            address.port = ports.sandbox
            sandbox = addresses.sandbox ?? address.string ?? ""
            cleanup = process != nil ? nil : try Cleanup(control: control.url, token: token)
        }

        /// An error as a test shows it: if the server has ended, with its status and the end of its log.
        func explained(_ error: any Error) -> any Error {
            guard error is ControlUnreachable, let report = process?.endReport() else { return error }
            return TillTestingError(report)
        }

        /// The server that all tests of the process share. The first call starts it or finds it.
        ///
        /// - Throws: `TillTestingError` if there is no program, or if it does not start.
        public static func shared() async throws -> Server { try await SharedServer.instance.server() }
    }
}

/// The server that all tests of a process share.
private actor SharedServer {
    static let instance = SharedServer()
    private var starting: Task<Till.Server, any Error>?

    func server() async throws -> Till.Server {
        if let starting { return try await starting.value }
        let task = Task { try await Self.find(ProcessInfo.processInfo.environment) }
        starting = task
        return try await task.value
    }

    private static func find(_ environment: [String: String]) async throws -> Till.Server {
        if let url = environment["TILL_CONTROL"], !url.isEmpty {
            let parts = URLComponents(string: url)
            guard ["http", "https"].contains(parts?.scheme), parts?.host?.isEmpty == false else {
                throw TillTestingError("TILL_CONTROL is \(url), which is not a URL such as http://127.0.0.1:8890.")
            }
            let addresses = ["TILL_PRODUCTION", "TILL_SANDBOX"].map { name in
                environment[name].flatMap { $0.isEmpty ? nil : $0 }
            }
            return try await Till.Server(
                control: url,
                token: environment["TILL_CONTROL_TOKEN"],
                process: nil,
                addresses: (addresses[0], addresses[1])
            )
        }
        let process = try ServerProcess(program: ServerProcess.program(environment))
        return try await Till.Server(control: process.ready(), process: process)
    }
}
