import Crypto
import Foundation
import TillCore
import TillStorage

/// Compares what the accounts of an exported state record about their transactions with the ledger, as `till doctor`
/// does. Accounts come before the ledger. A state may be large, so for a transaction that an account stores as a whole,
/// only 16 bytes of its digest are kept.
struct OwnedProductCheck {
    private var digests: [TransactionID: [UInt8]] = [:]
    private var ownedProducts: [TransactionID: OwnedProduct] = [:]

    /// Records what an account contains.
    mutating func take(_ account: Account) {
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                digests[row.id] = Self.digest(of: row)
            }
        }
        for ownedProduct in account.ownedProducts { ownedProducts[ownedProduct.transaction] = ownedProduct }
    }

    /// What is wrong with a transaction of the ledger, as a clause; nil if nothing.
    func fault(in row: Transaction) -> String? {
        if let digest = digests[row.id], digest != Self.digest(of: row) {
            return "transaction \(row.id.number) is not what the subscription \(row.originalID.number) of account "
                + "\(row.account.number) records for it"
        }
        if let ownedProduct = ownedProducts[row.id] {
            return ownedProduct.fault(in: row).map {
                "account \(row.account.number) owns \(ownedProduct.productID.cut(toBytes: 64)) by transaction "
                    + "\(row.id.number), \($0)"
            }
        }
        guard row.type == .nonConsumable, row.revocation == nil else { return nil }
        return "account \(row.account.number) does not record that it owns \(row.productID.cut(toBytes: 64)) by "
            + "transaction \(row.id.number)"
    }

    /// Equal for equal rows; nil for a row that cannot be encoded, which is then not compared.
    private static func digest(of row: Transaction) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(row)).map { Array(SHA256.hash(data: $0).prefix(16)) }
    }
}
