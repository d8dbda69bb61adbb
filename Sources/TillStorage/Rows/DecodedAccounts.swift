import Foundation
import Synchronization
import TillCore

/// Accounts that were read or written recently, with the texts of their states. A state with the same text is not
/// decoded again: decoding takes 18 µs, and a purchase, a renewal and verifyReceipt each read an account.
package final class DecodedAccounts: Sendable {
    private final class Entry: Sendable {
        let text: String
        let account: Account

        init(_ text: String, _ account: Account) {
            self.text = text
            self.account = account
        }
    }

    /// Each account has one place, which it shares with others. About 4 kB each, so 8 MiB in all.
    private let places = Mutex([Entry?](repeating: nil, count: count))
    /// A prime, because the numbers of accounts are spread over the partitions, whose number is a power of two.
    private static let count = 2_039

    /// Creates an empty cache.
    package init() {}

    /// The account with this state.
    ///
    /// - Throws: `DecodingError` if the text is not an account.
    func account(_ id: AccountID, _ text: String) throws -> Account {
        let place = Self.place(of: id)
        if let entry = places.withLock({ $0[place] }), entry.account.id == id, entry.text == text {
            return entry.account
        }
        let account = try JSONDecoder().decode(Account.self, from: Data(text.utf8))
        keep(account, text)
        return account
    }

    /// Keeps an account that is written with this state.
    func keep(_ account: Account, _ text: String) {
        let entry = Entry(text, account)
        places.withLock { $0[Self.place(of: account.id)] = entry }
    }

    private static func place(of id: AccountID) -> Int { Int(id.number.magnitude % UInt64(count)) }
}
