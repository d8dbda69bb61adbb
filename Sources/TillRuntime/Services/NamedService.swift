import ServiceLifecycle

/// Gives a service a short description. The service library writes each service as text to the log. Without a
/// description this text would contain all values of the service.
struct NamedService: Service, CustomStringConvertible, CustomDebugStringConvertible {
    private let service: any Service
    let description: String
    var debugDescription: String { description }

    init(_ service: any Service) {
        self.service = service
        let type = String(describing: type(of: service))
        description = (service as? NamedListener).map { "\(type) \($0.listener.flag)" } ?? type
    }

    func run() async throws { try await service.run() }
}
