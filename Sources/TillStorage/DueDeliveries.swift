import TillCore

/// A page of due deliveries to an endpoint. A delivery that cannot be read does not stop the others.
package struct DueDeliveries: Sendable {
    /// The deliveries that could be read, in the requested order.
    package var deliveries: [Delivery] = []
    /// The errors of the deliveries in this page that could not be read.
    package var damaged: [DamagedRow] = []
    /// Deliveries that are not in this page are due at this instant or later; nil if the page contains all.
    package var horizon: Timestamp?

    /// A page without deliveries.
    package init() {}

    /// A page that was read row by row.
    ///
    /// - Parameter limit: the maximum number of rows in the page.
    package init(_ rows: [Result<Delivery, DamagedRow>], limit: Int) {
        for row in rows {
            switch row {
            case .success(let delivery): deliveries.append(delivery)
            case .failure(let damage): damaged.append(damage)
            }
        }
        if rows.count >= limit { horizon = deliveries.last?.due ?? Timestamp(milliseconds: .min) }
    }

    /// The deliveries and errors of two pages, as one page.
    package static func + (left: DueDeliveries, right: DueDeliveries) -> DueDeliveries {
        var both = left
        both.deliveries += right.deliveries
        both.damaged += right.damaged
        both.horizon = [left.horizon, right.horizon].compactMap(\.self).min()
        return both
    }
}
