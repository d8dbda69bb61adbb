import Foundation
import TillCore

/// The table `outbox`.
extension OutboxEntry: StoredRow {
    package static let format = RowFormat<OutboxEntry>(
        "outbox",
        key: ["id"],
        [
            .derived("partition") { $0.id.partition.number },
            .stored("id", \.id),
            .stored("is_triggered", \.isTriggered),
            .stored("signed_date", \.signedDate),
            .joined(ShopTable.environment, { $0.scope.environment }) { cells, first, entry throws(DamagedRow) in
                entry.scope = try AccountScope(cells, first)
            },
            .derived("app") { $0.scope.app },
            .stored("uuid", \.uuid),
            .stored("type", \.type),
            .joined("chain", { $0.content.chainColumn }) { cells, first, entry throws(DamagedRow) in
                entry.content = try NotificationContent(cells, first)
            },
            .derived("body") { $0.content.body },
            .derived("body_signature") { $0.content.bodySignature },
            .stored("account", \.account),
            .stored("original_id", \.original),
            .stored("transaction_id", \.transaction),
            .stored("subtype", \.subtype),
            .derived("transaction_info") { $0.content.transactionInfo },
            .derived("transaction_signature") { $0.content.transactionSignature },
            .derived("renewal_info") { $0.content.renewalInfo },
            .derived("renewal_signature") { $0.content.renewalSignature },
        ]
    )

    package static let blank = OutboxEntry(
        id: NotificationID(0),
        scope: AccountScope(environment: .sandbox, app: ""),
        account: nil,
        original: nil,
        transaction: nil,
        uuid: "",
        type: "",
        subtype: nil,
        isTriggered: false,
        signedDate: Timestamp(milliseconds: 0),
        content: .versionOne([])
    )
}

/// The table `deliveries`.
extension Delivery: StoredRow {
    package static let format = RowFormat<Delivery>(
        "deliveries",
        key: ["notification", "endpoint"],
        [
            .derived("partition") { $0.notification.partition.number },
            .stored("notification", \.notification),
            .stored("signed_date", \.signedDate),
            .derived("attempts") { $0.attempts.count },
            .stored("is_delivered", \.isDelivered),
            .stored("endpoint", \.endpoint),
            .joined(ShopTable.environment, { $0.scope.environment }) { cells, first, delivery throws(DamagedRow) in
                let own = try cells.text(first + 2)
                delivery.clock = ClockName(try AccountScope(cells, first), own: own.isEmpty ? nil : own)
            },
            .derived("app") { $0.scope.app },
            .derived("clock") { $0.clock.key },
            .stored("type", \.type),
            .joined("log", { try $0.storedLog() }) { cells, place, delivery throws(DamagedRow) in
                delivery.attempts = try storedAttempts(cells, place)
            },
            .stored("account", \.account),
            .stored("original_id", \.original),
            .stored("subtype", \.subtype),
            .stored("due", \.due),
        ]
    )

    package static let blank = Delivery(of: .blank, to: "", clock: ClockName(OutboxEntry.blank.scope), due: nil)

    /// The attempts as JSON text. Most deliveries have no attempts yet when they are written.
    ///
    /// - Throws: `EncodingError` if an attempt cannot be encoded.
    func storedLog() throws -> String {
        attempts.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(attempts), as: UTF8.self)
    }

    private static func storedAttempts(_ cells: any StoredCells, _ place: Int) throws(DamagedRow) -> [SendAttempt] {
        let log = try cells.text(place)
        guard log != "[]" else { return [] }
        do {
            return try JSONDecoder().decode([SendAttempt].self, from: Data(log.utf8))
        } catch {
            throw cells.damaged(place, "cannot be read (\(error.logText))")
        }
    }
}

extension AccountScope {
    /// Reads the environment and the app from two adjacent cells.
    init(_ cells: any StoredCells, _ first: Int) throws(DamagedRow) {
        self.init(environment: try StoreEnvironment(cells, first), app: try cells.text(first + 1))
    }
}
