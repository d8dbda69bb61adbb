import TillCore
import TillStorage

/// Writes transactions (`Transaction.init(_:)` reads them).
enum LedgerRow {
    static let list = columns.joined(separator: ", ")
    static let columns = Transaction.storedColumns

    static func arguments(_ row: Transaction) -> Arguments {
        Arguments(
            row.id.partition.number,
            row.account.number,
            row.change,
            row.id.number,
            row.originalID.number,
            row.lineItem,
            row.order?.number,
            row.productID,
            row.groupID,
            row.type.rawValue,
            row.purchaseDate.milliseconds,
            row.originalPurchaseDate.milliseconds,
            row.expiresDate?.milliseconds,
            row.quantity,
            row.appAccountToken,
            row.ownership.rawValue,
            row.reason.rawValue,
            row.storefront.code,
            row.price?.milliunits,
            row.price?.currency,
            row.offer?.kind.rawValue,
            row.offer?.id,
            row.offer?.mode.rawValue,
            row.offer?.wholePeriod?.iso8601,
            row.isUpgraded,
            row.revocation?.date.milliseconds,
            row.revocation?.reason.rawValue,
            row.revocation?.kind.rawValue,
            row.revocation?.percentage,
            row.refundNumber,
            row.isFinished,
            row.sharedFrom?.number,
            row.modifiedDate.milliseconds,
            row.billingPlan?.rawValue,
            row.commitment?.stored
        )
    }
}
