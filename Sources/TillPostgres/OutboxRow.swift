import Foundation
import TillCore
import TillStorage

/// How a notification lies in its table: the columns in one fixed order, written and read by place.
enum OutboxRow {
    static let list = columns.joined(separator: ", ")
    static let columns = [
        "partition", "id", "realm", "app", "account", "original_id", "transaction_id", "uuid", "type", "subtype",
        "is_triggered", "signed_date", "chain", "body", "body_signature", "transaction_info", "transaction_signature",
        "renewal_info", "renewal_signature",
    ]

    static func arguments(_ entry: OutboxEntry) -> Arguments {
        Arguments(
            entry.id.partition.number,
            entry.id.number,
            entry.scope.realm.rawValue,
            entry.scope.app,
            entry.account?.number,
            entry.original?.number,
            entry.transaction?.number,
            entry.uuid,
            entry.type,
            entry.subtype,
            entry.isTriggered,
            entry.signedDate.milliseconds,
            entry.chain ?? "",
            entry.body.payload,
            entry.body.signature,
            entry.transactionInfo?.payload,
            entry.transactionInfo?.signature,
            entry.renewalInfo?.payload,
            entry.renewalInfo?.signature
        )
    }

    /// - Throws: `DamagedStore` for a value that no version of Till wrote.
    static func read(_ row: Row) throws -> OutboxEntry {
        let id = try row.int(1)
        guard let realm = Realm(rawValue: try row.text(2)) else {
            throw DamagedStore(what: "notification \(id) has a damaged realm; run till doctor")
        }
        func part(_ place: Int) -> SignedPart? {
            guard let payload = row.maybeBytes(place), let signature = row.maybeBytes(place + 1) else { return nil }
            return SignedPart(payload: payload, signature: signature)
        }
        guard let body = part(13) else {
            throw DamagedStore(what: "notification \(id) has no body; run till doctor")
        }
        let chain = try row.text(12)
        return OutboxEntry(
            id: NotificationID(id),
            scope: AccountScope(realm: realm, app: try row.text(3)),
            account: row.maybeInt(4).map { AccountID($0) },
            original: row.maybeInt(5).map { TransactionID($0) },
            transaction: row.maybeInt(6).map { TransactionID($0) },
            uuid: try row.text(7),
            type: try row.text(8),
            subtype: row.maybeText(9),
            isTriggered: try row.int(10) != 0,
            signedDate: Timestamp(milliseconds: try row.int(11)),
            body: body,
            transactionInfo: part(15),
            renewalInfo: part(17),
            chain: chain.isEmpty ? nil : chain
        )
    }
}
