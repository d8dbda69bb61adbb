/// The header field that marks every delivery of a notification.
///
/// Control and Apple's routes refuse a request that carries it, so that neither an endpoint URL nor a redirect can make
/// a server of Till's act on a delivery, whatever address it goes by.
package enum DeliveryHeader {
    /// The name of the field.
    package static let name = "Till-Delivery"
    /// What it says; its presence is what counts.
    package static let value = "1"
}
