import TillCore
import TillStorage

/// Writes deliveries (`Delivery.init(_:)` reads them).
enum DeliveryRow {
    static let list = columns.joined(separator: ", ")
    static let columns = Delivery.storedColumns

    static func arguments(_ delivery: Delivery) throws -> Arguments {
        Arguments(
            delivery.notification.partition.number,
            delivery.notification.number,
            delivery.endpoint,
            delivery.scope.environment.rawValue,
            delivery.scope.app,
            delivery.clock.key,
            delivery.account?.number,
            delivery.original?.number,
            delivery.type,
            delivery.subtype,
            delivery.signedDate.milliseconds,
            delivery.due?.milliseconds,
            delivery.attempts.count,
            delivery.isDelivered,
            try delivery.storedLog()
        )
    }
}
