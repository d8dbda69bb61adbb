import HTTPTypes
import Hummingbird
import TillShop

/// Refuses deliveries of Till's own (`DeliveryHeader`), wherever they come from: a receiver that redirects one here, or
/// an endpoint URL that leads here, must not make control or Apple's routes act.
enum DeliveryRefusal {
    static let status = HTTPResponse.Status.forbidden
    static let explanation =
        "The request carries \(DeliveryHeader.name): it is a notification that a Till delivers; no Till acts on it. "
        + "Check the URL of the endpoint, and where its server redirects to."
}

extension Request {
    /// Whether it is a delivery of Till's.
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
