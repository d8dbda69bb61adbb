/// The header field that every delivery contains.
///
/// The control API, the App Store Server API and verifyReceipt refuse requests with this field. So no delivery can
/// change data in a Till server, even if an endpoint URL or a redirect leads to it.
package enum DeliveryHeader {
    /// The name of the field.
    package static let name = "Till-Delivery"
    /// The value; only the presence of the field matters.
    package static let value = "1"
}
