import NIOCore
import ServiceLifecycle

/// A listener whose errors name its port, and the flag with which the operator chooses another port.
struct NamedListener: Service {
    private let service: any Service
    let listener: ListenerKind
    private let port: Int

    init(_ service: any Service, _ listener: ListenerKind, port: Int) {
        self.service = service
        self.listener = listener
        self.port = port
    }

    func run() async throws {
        do {
            try await service.run()
        } catch let error as IOError {
            throw PortRefused(listener: listener, port: port, code: error.errnoCode)
        }
    }
}
