import Crypto
import Foundation
import TillCore
import TillSigning

/// Attribute 4 of a receipt: 16 bytes that are opaque for clients. They contain the account's number and a hash that
/// only this database can compute. With them, even a receipt without purchases identifies its customer.
struct ReceiptMark: Equatable {
    let bytes: [UInt8]

    /// Creates the bytes for an account.
    ///
    /// - Parameter seed: the seed of the database.
    init(of account: AccountID, seed: String) {
        let number = withUnsafeBytes(of: account.number.bigEndian) { Array($0) }
        bytes = number + SHA256.hash(data: Data("\(seed)/receipt/\(account.number)".utf8)).prefix(8)
    }

    /// Reads the account from the bytes; nil if this database did not create them.
    static func account(of bytes: [UInt8], seed: String) -> AccountID? {
        guard bytes.count == 16 else { return nil }
        let number = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let id = AccountID(number)
        return ConstantTime.areEqual(ReceiptMark(of: id, seed: seed).bytes, bytes) ? id : nil
    }
}
