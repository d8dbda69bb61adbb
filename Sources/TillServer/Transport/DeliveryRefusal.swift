import HTTPTypes
import Hummingbird
import TillShop

/// Refuses Till's own notifications (`DeliveryHeader`). A developer's server could redirect a notification to this
/// server, or an endpoint's URL could point to it. The request must not call the control API or the App Store Server
/// API.
enum DeliveryRefusal {
    static let status = HTTPResponse.Status.forbidden
    static let explanation =
        "The request has the header \(DeliveryHeader.name), so Till sent it as a notification, and Till refuses it. "
        + "Check the URL of the endpoint, and the redirects of its server."
}

extension Request {
    /// Whether the request is a notification sent by Till.
    var isDelivery: Bool { headers.contains(.delivery) }
}

extension HTTPField.Name {
    fileprivate static let delivery = field(DeliveryHeader.name)
}
