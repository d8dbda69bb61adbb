import Crypto
import Foundation
import TillCore
import TillStorage

/// Compares the transactions in an exported state with the copies and references in its accounts, as `till doctor`
/// does. The accounts must come before the transactions. Because a state may be large, the check keeps only 16 bytes
/// of the digest of each copy.
struct OwnedProductCheck {
    private var digests: [TransactionID: [UInt8]] = [:]
    private var ownedProducts: [TransactionID: OwnedProduct] = [:]

    /// Records the transactions that an account contains or refers to.
    mutating func take(_ account: Account) {
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                digests[row.id] = Self.digest(of: row)
            }
        }
        for ownedProduct in account.ownedProducts { ownedProducts[ownedProduct.transaction] = ownedProduct }
    }

    /// Checks a transaction against its account.
    ///
    /// - Returns: the error as a clause; nil if there is none.
    func fault(in row: Transaction) -> String? {
        if let digest = digests[row.id], digest != Self.digest(of: row) {
            return "transaction \(row.id.number) is not what the subscription \(row.originalID.number) of account "
                + "\(row.account.number) contains as a copy"
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

    /// A digest that is equal for equal transactions; nil if the transaction cannot be encoded. Without a digest, the
    /// transaction is not compared.
    private static func digest(of row: Transaction) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(row)).map { Array(SHA256.hash(data: $0).prefix(16)) }
    }
}
