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
            .joined("chain", { $0.chain ?? "" }) { cells, place, entry throws(DamagedRow) in
                let chain = try cells.text(place)
                entry.chain = chain.isEmpty ? nil : chain
            },
            .joined("body", { $0.body.payload }) { cells, first, entry throws(DamagedRow) in
                entry.body = SignedPart(payload: try cells.bytes(first), signature: try cells.bytes(first + 1))
            },
            .derived("body_signature") { $0.body.signature },
            .stored("account", \.account),
            .stored("original_id", \.original),
            .stored("transaction_id", \.transaction),
            .stored("subtype", \.subtype),
            .joined("transaction_info", { $0.transactionInfo?.payload }) { cells, first, entry throws(DamagedRow) in
                entry.transactionInfo = try SignedPart(cells, first)
            },
            .derived("transaction_signature") { $0.transactionInfo?.signature },
            .joined("renewal_info", { $0.renewalInfo?.payload }) { cells, first, entry throws(DamagedRow) in
                entry.renewalInfo = try SignedPart(cells, first)
            },
            .derived("renewal_signature") { $0.renewalInfo?.signature },
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
        body: SignedPart(payload: [], signature: []),
        transactionInfo: nil,
        renewalInfo: nil,
        chain: nil
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

extension SignedPart {
    /// Reads the payload and the signature from two adjacent cells; nil if one of them is null.
    fileprivate init?(_ cells: any StoredCells, _ first: Int) throws(DamagedRow) {
        guard let payload = try [UInt8]?(cells, first), let signature = try [UInt8]?(cells, first + 1) else {
            return nil
        }
        self.init(payload: payload, signature: signature)
    }
}
