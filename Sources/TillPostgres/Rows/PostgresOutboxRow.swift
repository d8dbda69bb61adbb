import TillCore
import TillStorage

/// Writes notifications (`OutboxEntry.init(_:)` reads them).
enum OutboxRow {
    static let list = columns.joined(separator: ", ")
    static let columns = OutboxEntry.storedColumns

    static func arguments(_ entry: OutboxEntry) -> Arguments {
        Arguments(
            entry.id.partition.number,
            entry.id.number,
            entry.scope.environment.rawValue,
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
}
