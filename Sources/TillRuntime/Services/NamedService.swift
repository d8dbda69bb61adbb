import ServiceLifecycle

/// Gives a service a short description. The service library logs each service as text; without a description the log
/// would contain all of its values.
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
