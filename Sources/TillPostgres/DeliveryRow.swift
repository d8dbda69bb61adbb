import Foundation
import TillCore
import TillStorage

/// How what is owed to an endpoint lies in its table: the columns in one fixed order, written and read by place.
enum DeliveryRow {
    static let list = columns.joined(separator: ", ")
    static let columns = [
        "partition", "notification", "endpoint", "realm", "app", "clock", "account", "original_id", "type", "subtype",
        "signed_date", "due", "attempts", "is_delivered", "log",
    ]

    static func arguments(_ delivery: Delivery) throws -> Arguments {
        Arguments(
            delivery.notification.partition.number,
            delivery.notification.number,
            delivery.endpoint,
            delivery.scope.realm.rawValue,
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
            try log(delivery.attempts)
        )
    }

    /// The attempts as a JSON text; most deliveries have none yet when they are written.
    static func log(_ attempts: [SendAttempt]) throws -> String {
        attempts.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(attempts), as: UTF8.self)
    }

    /// - Throws: `DamagedStore` for a value that no version of Till wrote.
    static func read(_ row: Row) throws -> Delivery {
        let id = try row.int(1)
        guard let realm = Realm(rawValue: try row.text(3)) else {
            throw DamagedStore(what: "a delivery of notification \(id) has a damaged realm; run till doctor")
        }
        let clock = try row.text(5)
        let log = try row.text(14)
        return Delivery(
            notification: NotificationID(id),
            endpoint: try row.text(2),
            clock: ClockName(AccountScope(realm: realm, app: try row.text(4)), own: clock.isEmpty ? nil : clock),
            account: row.maybeInt(6).map { AccountID($0) },
            original: row.maybeInt(7).map { TransactionID($0) },
            type: try row.text(8),
            subtype: row.maybeText(9),
            signedDate: Timestamp(milliseconds: try row.int(10)),
            due: row.maybeInt(11).map { Timestamp(milliseconds: $0) },
            attempts: log == "[]" ? [] : try JSONDecoder().decode([SendAttempt].self, from: Data(log.utf8)),
            isDelivered: try row.int(13) != 0
        )
    }
}
