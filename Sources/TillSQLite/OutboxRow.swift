import Foundation
import GRDB
import TillCore
import TillStorage

/// How a notification lies in its table: the columns in one fixed order, written and read by place.
enum OutboxRow {
    static let columns = """
        partition, id, realm, app, account, original_id, transaction_id, uuid, type, subtype, is_triggered, \
        signed_date, chain, body, body_signature, transaction_info, transaction_signature, renewal_info, \
        renewal_signature
        """

    static let insert = """
        INSERT INTO outbox (\(columns)) VALUES (\(Array(repeating: "?", count: 19).joined(separator: ", ")))
        """

    static func arguments(_ entry: OutboxEntry) -> StatementArguments {
        [
            entry.id.partition.number, entry.id.number, entry.scope.realm.rawValue, entry.scope.app,
            entry.account?.number, entry.original?.number, entry.transaction?.number, entry.uuid, entry.type,
            entry.subtype, entry.isTriggered, entry.signedDate.milliseconds, entry.chain ?? "",
            Data(entry.body.payload),
            Data(entry.body.signature), (entry.transactionInfo?.payload).map { Data($0) },
            (entry.transactionInfo?.signature).map { Data($0) }, (entry.renewalInfo?.payload).map { Data($0) },
            (entry.renewalInfo?.signature).map { Data($0) },
        ]
    }

    /// - Throws: `DamagedStore` for a value that no version of Till wrote.
    static func read(_ row: Row) throws -> OutboxEntry {
        let id: Int64 = row[1]
        guard let realm = Realm(rawValue: row[2]) else {
            throw DamagedStore(what: "notification \(id) has a damaged realm; run till doctor")
        }
        func part(_ place: Int) -> SignedPart? {
            guard let payload: Data = row[place], let signature: Data = row[place + 1] else { return nil }
            return SignedPart(payload: Array(payload), signature: Array(signature))
        }
        guard let body = part(13) else {
            throw DamagedStore(what: "notification \(id) has no body; run till doctor")
        }
        return OutboxEntry(
            id: NotificationID(id),
            scope: AccountScope(realm: realm, app: row[3]),
            account: (row[4] as Int64?).map { AccountID($0) },
            original: (row[5] as Int64?).map { TransactionID($0) },
            transaction: (row[6] as Int64?).map { TransactionID($0) },
            uuid: row[7],
            type: row[8],
            subtype: row[9],
            isTriggered: row[10],
            signedDate: Timestamp(milliseconds: row[11]),
            body: body,
            transactionInfo: part(15),
            renewalInfo: part(17),
            chain: (row[12] as String).isEmpty ? nil : row[12]
        )
    }
}

/// How what is owed to an endpoint lies in its table.
enum DeliveryRow {
    static let columns = """
        partition, notification, endpoint, realm, app, clock, account, original_id, type, subtype, signed_date, due, \
        attempts, is_delivered, log
        """

    static let insert = """
        INSERT INTO deliveries (\(columns)) VALUES (\(Array(repeating: "?", count: 15).joined(separator: ", ")))
        """

    static func arguments(_ delivery: Delivery) throws -> StatementArguments {
        [
            delivery.notification.partition.number, delivery.notification.number, delivery.endpoint,
            delivery.scope.realm.rawValue, delivery.scope.app, delivery.clock.key, delivery.account?.number,
            delivery.original?.number, delivery.type, delivery.subtype, delivery.signedDate.milliseconds,
            delivery.due?.milliseconds, delivery.attempts.count, delivery.isDelivered, try log(delivery.attempts),
        ]
    }

    /// The attempts as a JSON text; most deliveries have none yet when they are written.
    static func log(_ attempts: [SendAttempt]) throws -> String {
        attempts.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(attempts), as: UTF8.self)
    }

    /// - Throws: `DamagedStore` for a value that no version of Till wrote.
    static func read(_ row: Row) throws -> Delivery {
        let id: Int64 = row[1]
        guard let realm = Realm(rawValue: row[3]) else {
            throw DamagedStore(what: "a delivery of notification \(id) has a damaged realm; run till doctor")
        }
        let clock: String = row[5]
        let log: String = row[14]
        return Delivery(
            notification: NotificationID(id),
            endpoint: row[2],
            clock: ClockName(AccountScope(realm: realm, app: row[4]), own: clock.isEmpty ? nil : clock),
            account: (row[6] as Int64?).map { AccountID($0) },
            original: (row[7] as Int64?).map { TransactionID($0) },
            type: row[8],
            subtype: row[9],
            signedDate: Timestamp(milliseconds: row[10]),
            due: (row[11] as Int64?).map { Timestamp(milliseconds: $0) },
            attempts: log == "[]" ? [] : try JSONDecoder().decode([SendAttempt].self, from: Data(log.utf8)),
            isDelivered: row[13]
        )
    }
}
