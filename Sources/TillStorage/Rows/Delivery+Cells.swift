import Foundation
import TillCore

/// The stored form of a delivery in every engine. The columns have a fixed order, and are written and read by index.
extension Delivery {
    /// The columns of the table `deliveries`, in the order in which engines select them.
    package static let storedColumns = [
        "partition", "notification", "endpoint", ShopTable.environment, "app", "clock", "account", "original_id",
        "type",
        "subtype",
        "signed_date", "due", "attempts", "is_delivered", "log",
    ]

    /// The attempts as JSON text. Most deliveries have no attempts yet when they are written.
    ///
    /// - Throws: `EncodingError` if an attempt cannot be encoded.
    package func storedLog() throws -> String {
        attempts.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(attempts), as: UTF8.self)
    }

    /// Reads a row.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ cells: some StoredCells) throws(DamagedRow) {
        do throws(DamagedRow) {
            self = try Self.read(cells)
        } catch {
            let endpoint = (try? cells.text(2)).map { ", endpoint \($0)" } ?? ""
            throw error.naming((try? cells.integer(1)).map { "notification \($0)\(endpoint)" })
        }
    }

    private static func read(_ cells: some StoredCells) throws(DamagedRow) -> Delivery {
        let scope = AccountScope(
            environment: try cells.known(3, StoreEnvironment.init(rawValue:)),
            app: try cells.text(4)
        )
        let clock = try cells.text(5)
        let (account, original) = (try cells.maybeInteger(6), try cells.maybeInteger(7))
        let due = try cells.maybeInteger(11)
        return Delivery(
            notification: NotificationID(try cells.integer(1)),
            endpoint: try cells.text(2),
            clock: ClockName(scope, own: clock.isEmpty ? nil : clock),
            account: account.map { AccountID($0) },
            original: original.map { TransactionID($0) },
            type: try cells.text(8),
            subtype: try cells.maybeText(9),
            signedDate: Timestamp(milliseconds: try cells.integer(10)),
            due: due.map { Timestamp(milliseconds: $0) },
            attempts: try attempts(cells),
            isDelivered: try cells.integer(13) != 0
        )
    }

    private static func attempts(_ cells: some StoredCells) throws(DamagedRow) -> [SendAttempt] {
        let log = try cells.text(14)
        guard log != "[]" else { return [] }
        do {
            return try JSONDecoder().decode([SendAttempt].self, from: Data(log.utf8))
        } catch {
            throw cells.damaged(14, "cannot be read (\(error.logText))")
        }
    }
}
