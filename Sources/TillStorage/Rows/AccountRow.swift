import Foundation
import TillCore

/// An account as an engine reads it: the state, and the columns that repeat parts of the state.
package struct AccountRow: Sendable {
    /// The columns that engines select, in this order.
    package static let columns = ["account", "customer", "version", "change_number", "row_count", "state"]
    /// The columns as a list for an SQL statement.
    package static let list = columns.joined(separator: ", ")

    private struct Counters: Equatable {
        let version: Int64
        let changeNumber: Int64
        let rowCount: Int64
    }

    private let id: AccountID
    private let customer: String
    private let content: Result<(counters: Counters, state: String), DamagedRow>

    /// Copies the cells. The state is decoded later, when the connection is free again.
    ///
    /// - Throws: `DamagedRow` if the account has no number.
    package init(_ cells: any StoredCells) throws(DamagedRow) {
        id = AccountID(try cells.integer(0))
        customer = (try? cells.text(1)) ?? "unknown"
        do throws(DamagedRow) {
            let counters = Counters(
                version: try cells.integer(2),
                changeNumber: try cells.integer(3),
                rowCount: try cells.integer(4)
            )
            content = .success((counters, try cells.text(5)))
        } catch {
            content = .failure(error)
        }
    }

    /// The account, or the reason why it cannot be read.
    package func stored(knowing decoded: DecodedAccounts) -> StoredAccount {
        switch content {
        case .failure(let damage): return damaged("its column \(damage.column) \(damage.problem)")
        case .success((let counters, let state)):
            do {
                let account = try decoded.account(id, state)
                return reason(for: account, counters).map { damaged($0) } ?? .sound(account)
            } catch {
                return damaged("its state cannot be read (\(error.logText))")
            }
        }
    }

    /// The contradiction between the columns and the state; nil if there is none. With different versions, every later
    /// write would fail with a conflict.
    private func reason(for account: Account, _ counters: Counters) -> String? {
        let said = Counters(
            version: account.version,
            changeNumber: account.changeNumber,
            rowCount: account.rowCount
        )
        guard counters != said else { return nil }
        if let reason = account.damage { return reason }
        let pairs = [
            ("version", counters.version, said.version),
            ("change_number", counters.changeNumber, said.changeNumber),
            ("row_count", counters.rowCount, said.rowCount),
        ]
        return pairs.filter { $0.1 != $0.2 }
            .map { "its column \($0.0) is \($0.1), but its state has \($0.2)" }.joined(separator: "; ")
    }

    private func damaged(_ reason: String) -> StoredAccount {
        .damaged(DamagedAccount(id, of: customer, reason))
    }
}

extension Account {
    /// The state in the form that every engine stores: JSON with sorted keys, so that equal states have equal texts.
    package func storedState() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
