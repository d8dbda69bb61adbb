import HTTPTypes
import Hummingbird
import TillShop

/// Refuses Till's own deliveries (`DeliveryHeader`): a receiver that redirects to this server, or an endpoint URL that
/// points to it, must not trigger the control API or Apple's routes.
enum DeliveryRefusal {
    static let status = HTTPResponse.Status.forbidden
    static let explanation =
        "The request has the header \(DeliveryHeader.name), so it is a notification from a Till. Till refuses it. "
        + "Check the URL of the endpoint, and the redirects of its server."
}

extension Request {
    /// Whether it is one of Till's deliveries.
    var isDelivery: Bool { headers.contains(.delivery) }
}

extension HTTPField.Name {
    fileprivate static let delivery: HTTPField.Name = {
        guard let name = HTTPField.Name(DeliveryHeader.name) else {
            preconditionFailure("\(DeliveryHeader.name) is a field name")
        }
        return name
    }()
}
