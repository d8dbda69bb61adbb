import Crypto
import Foundation
import TillCore
import TillSigning

/// Attribute 4 of a receipt, 16 opaque bytes: the number of the account, and a proof that this store wrote it. So a
/// receipt without purchases identifies its customer, too.
struct ReceiptMark: Equatable {
    let bytes: [UInt8]

    /// The mark of an account.
    ///
    /// - Parameter seed: the seed of the store.
    init(of account: AccountID, seed: String) {
        let number = withUnsafeBytes(of: account.number.bigEndian) { Array($0) }
        bytes = number + SHA256.hash(data: Data("\(seed)/receipt/\(account.number)".utf8)).prefix(8)
    }

    /// The account of a mark; nil if this store did not write it.
    static func account(of bytes: [UInt8], seed: String) -> AccountID? {
        guard bytes.count == 16 else { return nil }
        let number = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let id = AccountID(number)
        return ConstantTime.areEqual(ReceiptMark(of: id, seed: seed).bytes, bytes) ? id : nil
    }
}
