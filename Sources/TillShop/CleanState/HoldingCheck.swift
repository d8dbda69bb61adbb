import Crypto
import Foundation
import TillCore
import TillStorage

/// Compares what the accounts of a written state say of their transactions with the rows of the ledger, as
/// `till doctor` does. Accounts come before the ledger; of each transaction that an account holds whole it remembers 16
/// bytes of a digest, because a state may be large.
struct HoldingCheck {
    private var digests: [TransactionID: [UInt8]] = [:]
    private var holdings: [TransactionID: Holding] = [:]

    /// Notes what an account says.
    mutating func take(_ account: Account) {
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                digests[row.id] = Self.digest(of: row)
            }
        }
        for holding in account.holdings { holdings[holding.transaction] = holding }
    }

    /// What is wrong with a row of the ledger: a clause; nil when nothing is.
    func fault(in row: Transaction) -> String? {
        if let digest = digests[row.id], digest != Self.digest(of: row) {
            return "transaction \(row.id.number) is not what the subscription \(row.originalID.number) of account "
                + "\(row.account.number) says of it"
        }
        if let holding = holdings[row.id] {
            return holding.fault(in: row).map {
                "account \(row.account.number) holds \(holding.productID.cut(toBytes: 64)) by transaction "
                    + "\(row.id.number), \($0)"
            }
        }
        guard row.type == .nonConsumable, row.revocation == nil else { return nil }
        return "account \(row.account.number) does not know that it holds \(row.productID.cut(toBytes: 64)) by "
            + "transaction \(row.id.number)"
    }

    /// Equal for equal rows; nil for a row that cannot be encoded, which is then not compared.
    private static func digest(of row: Transaction) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(row)).map { Array(SHA256.hash(data: $0).prefix(16)) }
    }
}
