/// The due deliveries of an endpoint. A delivery that cannot be read does not block the others.
package struct DueDeliveries: Sendable {
    /// The readable ones, in order.
    package var deliveries: [Delivery] = []
    /// Why others of the same page cannot be read.
    package var damaged: [DamagedRow] = []

    /// An empty page.
    package init() {}

    /// Reads a page, one row at a time.
    package init(_ rows: [Result<Delivery, DamagedRow>]) {
        for row in rows {
            switch row {
            case .success(let delivery): deliveries.append(delivery)
            case .failure(let damage): damaged.append(damage)
            }
        }
    }

    /// Two pages as one.
    package static func + (left: DueDeliveries, right: DueDeliveries) -> DueDeliveries {
        var both = left
        both.deliveries += right.deliveries
        both.damaged += right.damaged
        return both
    }
}
