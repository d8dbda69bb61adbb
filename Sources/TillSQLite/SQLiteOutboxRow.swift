import Foundation
import GRDB
import TillCore
import TillStorage

/// Writes notifications (`OutboxEntry.init(_:)` reads them).
enum OutboxRow {
    static let columns = OutboxEntry.storedColumns.joined(separator: ", ")

    static let insert = """
        INSERT INTO outbox (\(columns)) VALUES (\(Array(repeating: "?", count: 19).joined(separator: ", ")))
        """

    static func arguments(_ entry: OutboxEntry) -> StatementArguments {
        [
            entry.id.partition.number, entry.id.number, entry.scope.environment.rawValue, entry.scope.app,
            entry.account?.number, entry.original?.number, entry.transaction?.number, entry.uuid, entry.type,
            entry.subtype, entry.isTriggered, entry.signedDate.milliseconds, entry.chain ?? "",
            Data(entry.body.payload),
            Data(entry.body.signature), (entry.transactionInfo?.payload).map { Data($0) },
            (entry.transactionInfo?.signature).map { Data($0) }, (entry.renewalInfo?.payload).map { Data($0) },
            (entry.renewalInfo?.signature).map { Data($0) },
        ]
    }
}

/// Writes deliveries (`Delivery.init(_:)` reads them).
enum DeliveryRow {
    static let columns = Delivery.storedColumns.joined(separator: ", ")

    static let insert = """
        INSERT INTO deliveries (\(columns)) VALUES (\(Array(repeating: "?", count: 15).joined(separator: ", ")))
        """

    static func arguments(_ delivery: Delivery) throws -> StatementArguments {
        [
            delivery.notification.partition.number, delivery.notification.number, delivery.endpoint,
            delivery.scope.environment.rawValue, delivery.scope.app, delivery.clock.key, delivery.account?.number,
            delivery.original?.number, delivery.type, delivery.subtype, delivery.signedDate.milliseconds,
            delivery.due?.milliseconds, delivery.attempts.count, delivery.isDelivered, try delivery.storedLog(),
        ]
    }
}
