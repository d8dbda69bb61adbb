/// The header field of every delivery.
///
/// The control API and Apple's routes refuse requests with this header, so that neither an endpoint URL nor a redirect
/// can make a server of Till act on a delivery, whatever its address.
package enum DeliveryHeader {
    /// The name of the field.
    package static let name = "Till-Delivery"
    /// The value; only the presence of the field matters.
    package static let value = "1"
}
