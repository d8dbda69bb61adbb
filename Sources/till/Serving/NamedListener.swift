import Foundation
import NIOCore
import ServiceLifecycle

/// A listener whose errors name the port and the flag to choose another one.
struct NamedListener: Service {
    private let listener: any Service
    let flag: String
    private let port: Int

    init(_ listener: any Service, flag: String, port: Int) {
        self.listener = listener
        self.flag = flag
        self.port = port
    }

    func run() async throws {
        do {
            try await listener.run()
        } catch let error as IOError {
            throw CommandRefused(Self.words(error.errnoCode, port: port, flag: flag))
        }
    }

    /// Why a port cannot be used, and what to do.
    ///
    /// - Parameter code: the system's error (`errno`).
    static func words(_ code: Int32, port: Int, flag: String) -> String {
        switch code {
        case EADDRINUSE:
            "Port \(port) is taken. Choose another with \(flag), or stop the process that uses it."
        case EACCES, EPERM:
            "This user may not listen on port \(port). Choose another with \(flag)."
        case EADDRNOTAVAIL:
            "Port \(port) cannot be used (\(flag)): this machine does not have the address. Check --host, "
                + "--control-address and --tls-host."
        default:
            "Port \(port) cannot be used: \(String(cString: strerror(code))). Choose another with \(flag)."
        }
    }
}
