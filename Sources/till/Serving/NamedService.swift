import ServiceLifecycle

/// A service of the server by its name. The library that starts services logs each as text; without a text of its own
/// a service would be logged with every value that it holds.
struct NamedService: Service, CustomStringConvertible, CustomDebugStringConvertible {
    private let service: any Service
    let description: String
    var debugDescription: String { description }

    init(_ service: any Service) {
        self.service = service
        let type = String(describing: type(of: service))
        description = (service as? NamedListener).map { "\(type) \($0.flag)" } ?? type
    }

    func run() async throws { try await service.run() }
}
