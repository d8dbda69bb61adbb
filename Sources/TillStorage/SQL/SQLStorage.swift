import TillCore

/// A storage engine on an SQL database. Most operations are the same statements in every engine; an engine only
/// executes them.
package protocol SQLStorage: Storage {
    /// Runs a statement once for each list of parameters, and converts the rows.
    func rows<Value: Sendable>(
        _ statement: CommonStatement,
        each arguments: [[Cell]],
        _ read: @escaping @Sendable (any StoredCells) throws -> Value
    ) async throws -> [Value]

    /// The accounts that were read or written recently.
    var decodedAccounts: DecodedAccounts { get }

    /// Runs statements in one transaction.
    func write(_ steps: [StatementStep], _ record: WriteRecord) async throws
}

/// What a write contains besides its statements.
package enum WriteRecord: Sendable {
    /// Nothing.
    case unaudited
    /// The audit record of the current operation.
    case audited
    /// The audit record of the current operation. The statements change documents of these kinds, under the write
    /// precondition of the task (`WritePrecondition.held`).
    case documents(Set<DocumentKind>)
}

extension SQLStorage {
    // MARK: Documents and identifiers

    package func documents(_ kind: DocumentKind) async throws -> [Document] {
        try await rows(.documentsOfKind, each: [[kind.cell]]) { try Document($0) }
    }

    package func put(_ documents: [Document]) async throws {
        let steps = try documents.map { StatementStep(.putDocument, try $0.cells()) }
        try await write(steps, .documents(Set(documents.map(\.kind))))
    }

    package func keep(_ document: Document) async throws -> Document {
        try await write([StatementStep(.keepDocument, try document.cells())], .documents([document.kind]))
        let key = [document.kind.cell, document.name.cell]
        return try await rows(.documentByName, each: [key]) { try Document($0) }.first ?? document
    }

    package func removeDocument(_ kind: DocumentKind, name: String) async throws {
        try await write([StatementStep(.removeDocument, [kind.cell, name.cell])], .documents([kind]))
    }

    package func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64> {
        let next = try await rows(.reserveIdentifiers, each: [[count.cell]]) { try $0.integer(0) }.first
        guard let next else { throw DamagedRow.counter(try await highWater()) }
        return next - count..<next
    }

    package func identifierHighWater() async throws -> Int64 { try await highWater() ?? 0 }

    private func highWater() async throws -> Int64? {
        try await rows(.identifierHighWater, each: [[]]) { try $0.integer(0) }.first
    }

    // MARK: The request log and the audit log

    package func appendRequestLog(_ entries: [RequestLogEntry], keeping: Int) async throws {
        let steps = try entries.map { StatementStep(.appendRequestLog, [$0.id.cell, try $0.storedText().cell]) }
        try await write(steps + [StatementStep(.trimRequestLog, [keeping.cell])], .unaudited)
    }

    package func requestLogEntry(_ id: String) async throws -> RequestLogEntry? {
        try await requestLog(.requestLogByID, [id.cell]).first?.entry
    }

    package func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await requestLog(.newestRequestLog, [number.cell, limit.cell])
    }

    package func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await requestLog(.requestLogPage, [number.cell, limit.cell])
    }

    private func requestLog(_ statement: CommonStatement, _ arguments: [Cell]) async throws -> [NumberedEntry] {
        let found = try await rows(statement, each: [arguments]) { (number: try $0.integer(0), text: try $0.text(1)) }
        return try found.map { NumberedEntry(number: $0.number, entry: try RequestLogEntry(stored: $0.text)) }
    }

    package func auditRecords(_ query: AuditQuery) async throws -> [NumberedAuditRecord] {
        let arguments: [Cell] = [
            query.start.at.cell, query.start.number.cell, (query.from?.milliseconds ?? .min).cell, query.caller.cell,
            query.operation.cell, query.app.cell, query.onlyFailed.cell, query.limit.cell,
        ]
        return try await rows(.newestAudit, each: [arguments]) { try NumberedAuditRecord($0) }
    }

    package func auditRecords(after position: AuditPosition?, limit: Int) async throws -> [NumberedAuditRecord] {
        try await rows(.oldestAudit, each: [AuditPosition.cells(position, limit)]) { try NumberedAuditRecord($0) }
    }

    package func pruneAudit(before: Timestamp, limit: Int) async throws -> Int {
        try await rows(.pruneAudit, each: [[before.cell, limit.cell]]) { _ in () }.count
    }

    // MARK: Accounts and transactions

    package func account(_ id: AccountID) async throws -> Account? {
        let row = try await rows(.accountByID, each: [id.place]) { try AccountRow($0) }.first
        return try row?.stored(knowing: decodedAccounts).get()
    }

    package func account(of name: CustomerName) async throws -> Account? {
        let key = [name.partition.number.cell] + name.scope.cells + [name.customer.cell]
        let row = try await rows(.accountByCustomer, each: [key]) { try AccountRow($0) }.first
        return try row?.stored(knowing: decodedAccounts).get()
    }

    package func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [StoredAccount]
    {
        let statement: CommonStatement = scope == nil ? .accountsOfAll : .accountsOfScope
        let arguments = (scope?.cells ?? []) + [(after?.number ?? 0).cell, limit.cell]
        // Accounts without a number are last, and no page can continue after them. The doctor reports them. The states
        // are decoded when the connection is free again.
        let found = try await rows(statement, each: [arguments]) { try? AccountRow($0) }
        return found.compactMap { $0?.stored(knowing: decodedAccounts) }
    }

    package func stamp(of id: TransactionID, in scope: AccountScope) async throws -> AccountStamp? {
        try await rows(.ownerOfRow, each: [[id.partition.number.cell, id.cell] + scope.cells]) { cells in
            AccountStamp(
                account: try AccountID(cells, 0),
                version: try cells.integer(1),
                changeNumber: try cells.integer(2),
                epoch: try cells.integer(3)
            )
        }.first
    }

    package func transaction(_ id: TransactionID) async throws -> Transaction? {
        try await rows(.rowByID, each: [[id.partition.number.cell, id.cell]]) { try Transaction($0) }.first
    }

    package func transactions(in order: OrderID) async throws -> [Transaction] {
        try await rows(.rowsOfOrder, each: [[order.partition.number.cell, order.cell]]) { try Transaction($0) }
    }

    package func foreignIdentifier(_ kind: ForeignIdentifier.Kind, _ text: String, in scope: AccountScope) async throws
        -> ForeignIdentifier?
    {
        try await rows(.foreignIdentifier, each: [scope.cells + [kind.cell, text.cell]]) { try ForeignIdentifier($0) }
            .first
    }

    package func reservedCounters(in range: Range<Int64>) async throws -> [Int64] {
        let bounds = [range.lowerBound.cell, range.upperBound.cell]
        let found = try await rows(.reservedCounters, each: [bounds]) { try ForeignIdentifier($0) }
        return found.compactMap(\.counter).filter(range.contains)
    }

    package func usedUp(_ codes: [CodeRedemption]) async throws -> [CodeRedemption] {
        let keys: [[Cell]] = codes.map {
            [$0.environment.cell, $0.app.cell, $0.productID.cell, $0.offerID.cell, $0.limit.cell]
        }
        let found = try await rows(.usedUpCode, each: keys) { [try $0.text(0), try $0.text(1)] }
        return codes.filter { found.contains([$0.productID, $0.offerID]) }
    }

    package func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction] {
        try await rows(.refundsAfter, each: [account.place + [refundNumber.cell, limit.cell]]) { try Transaction($0) }
    }

    package func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction] {
        try await rows(.latestRefunds, each: [account.place + [limit.cell]]) { try Transaction($0) }.reversed()
    }

    // MARK: Due events and deliveries

    package func dueAccounts(on clock: ClockName, until: Timestamp, in part: Range<Int64>?, limit: Int) async throws
        -> [DueAccount]
    {
        let statement: CommonStatement = part == nil ? .dueAccounts : .dueAccountsInPart
        let arguments = clock.cells + [until.cell, limit.cell] + Self.bounds(part)
        return try await rows(statement, each: [arguments]) { DueAccount($0) }.compactMap(\.self)
    }

    package func nextDue(of id: AccountID) async throws -> Timestamp? {
        try await rows(.nextDueOfAccount, each: [id.place]) { try Timestamp?($0, 0) }.first ?? nil
    }

    package func dueDeliveries(
        to endpoint: String,
        on clock: ClockName,
        until: Timestamp,
        in part: DeliveryPart?,
        limit: Int
    ) async throws -> DueDeliveries {
        let statement: CommonStatement = part == nil ? .dueDeliveries : .dueDeliveriesInPart
        let place = part.map { Self.bounds($0.partitions) + [$0.epoch.cell] } ?? []
        let arguments = clock.cells + [endpoint.cell, until.cell, limit.cell] + place
        return DueDeliveries(
            try await rows(statement, each: [arguments]) { cells in
                Result { () throws(DamagedRow) in try Delivery(cells) }
            },
            limit: limit
        )
    }

    private static func bounds(_ part: Range<Int64>?) -> [Cell] {
        part.map { [$0.lowerBound.cell, $0.upperBound.cell] } ?? []
    }

    package func pendingDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int {
        let arguments = clock.cells + [(until?.milliseconds ?? .max).cell]
        return try await rows(.pendingCount, each: [arguments]) { try Int($0, 0) }.first ?? 0
    }

    package func pendingDeliveriesByClock() async throws -> [PendingDeliveries] {
        // A damaged delivery must not hide the other deliveries; the doctor reports it.
        try await rows(.pendingByClock, each: [[]]) { cells in
            guard let scope = try? AccountScope(cells, 0), let own = try? cells.text(2),
                let count = try? Int(cells, 3), let oldest = try? Timestamp(cells, 4)
            else { return nil }
            return PendingDeliveries(
                clock: ClockName(scope, own: own.isEmpty ? nil : own),
                count: count,
                oldest: oldest
            )
        }.compactMap(\.self)
    }

    package func pendingEndpoints() async throws -> [EndpointName] {
        // A damaged delivery must not hide the other deliveries; the doctor reports it.
        try await rows(.pendingEndpoints, each: [[]]) { cells in
            guard let scope = try? AccountScope(cells, 0), let endpoint = try? cells.text(2) else { return nil }
            return EndpointName(scope, endpoint)
        }.compactMap(\.self)
    }

    // MARK: Notifications

    package func record(_ deliveries: [Delivery], epoch: Int64?) async throws {
        // All nodes use the same order, so that two nodes cannot deadlock.
        let sorted = deliveries.sorted { ($0.notification, $0.endpoint) < ($1.notification, $1.endpoint) }
        let steps = try sorted.map { delivery in
            StatementStep(
                .recordDelivery,
                delivery.notification.place + [
                    delivery.endpoint.cell, delivery.due.cell, delivery.attempts.count.cell,
                    delivery.isDelivered.cell, try delivery.storedLog().cell, epoch.cell,
                    delivery.attemptDue.cell,
                ]
            )
        }
        try await write(steps, .unaudited)
    }

    package func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws {
        let steps = endpoints.sorted().map { StatementStep(.redeliver, id.place + [$0.cell, due.cell]) }
        try await write(steps, .audited)
    }

    package func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws {
        try await write([StatementStep(.dropDeliveries, scope.cells + [endpoint.cell])], .audited)
    }

    package func notification(_ id: NotificationID) async throws -> OutboxEntry? {
        try await rows(.entryByID, each: [id.place]) { try OutboxEntry($0) }.first
    }

    /// Runs one statement for each notification. In PostgreSQL, a single statement would touch many partitions.
    package func notifications(numbered ids: [NotificationID]) async throws -> [OutboxEntry] {
        try await rows(.entryByID, each: ids.map(\.place)) { try OutboxEntry($0) }
    }

    package func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry? {
        try await rows(.entryByUUID, each: [[uuid.cell] + scope.cells]) { try OutboxEntry($0) }.first
    }

    /// Runs one statement for each notification. In PostgreSQL, a single statement would touch many partitions.
    package func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]] {
        let found = try await rows(.deliveriesOfEntry, each: ids.map(\.place)) { try Delivery($0) }
        return Dictionary(grouping: found, by: \.notification)
    }

    package func prunable(_ query: PruneQuery) async throws -> [Prunable] {
        let after = query.after ?? (Timestamp(milliseconds: .min), NotificationID(0))
        let arguments =
            query.scope.cells + [
                after.signedDate.cell, after.id.cell, query.signedBefore.cell, (query.below?.number ?? .max).cell,
                query.testsBefore.cell, query.limit.cell,
            ]
        return try await rows(.prunable, each: [arguments]) { cells in
            Prunable(
                id: try NotificationID(cells, 0),
                signedDate: try Timestamp(cells, 1),
                deliveries: try Int(cells, 2),
                pending: try Int(cells, 3)
            )
        }
    }

    package func prune(_ ids: [NotificationID]) async throws {
        let steps = ids.sorted().flatMap {
            [StatementStep(.pruneDeliveries, $0.place), StatementStep(.pruneEntry, $0.place)]
        }
        try await write(steps, .audited)
    }

    // MARK: The data of a customer

    package func belongings(of account: AccountID) async throws -> Belongings {
        func count(_ statement: CommonStatement) async throws -> Int {
            try await rows(statement, each: [account.place]) { try Int($0, 0) }.first ?? 0
        }
        return Belongings(
            transactions: try await count(.rowsOfAccount),
            notifications: try await count(.entriesOfAccount),
            deliveries: try await count(.deliveriesOfAccount)
        )
    }

    package func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String] {
        try await rows(.snapshotsHolding, each: [scope.cells + [customer.cell]]) { try $0.text(0) }
    }
}

extension NotificationID {
    /// The parameters `partition` and `notification`.
    var place: [Cell] { [partition.number.cell, cell] }
}

extension AccountScope {
    /// The parameters environment and `app`.
    fileprivate var cells: [Cell] { [environment.cell, app.cell] }
}

extension ClockName {
    /// The parameters environment, `app` and `clock`.
    fileprivate var cells: [Cell] { scope.cells + [key.cell] }
}

extension AuditPosition {
    /// The parameters of the statement for the records after a position; nil for the first records.
    package static func cells(_ position: AuditPosition?, _ limit: Int) -> [Cell] {
        [(position?.at.milliseconds ?? .min).cell, (position?.number ?? 0).cell, limit.cell]
    }
}

extension NumberedAuditRecord {
    /// Reads the number and the record.
    package init(_ cells: any StoredCells) throws(DamagedRow) {
        self.init(number: try cells.integer(0), record: try AuditRecord(cells, from: 1))
    }
}

extension DueAccount {
    /// Reads account, customer and due date; nil for an account without a number. If another cell is damaged, the
    /// account is still due, so that its update finds the damage and quarantines the account.
    fileprivate init?(_ cells: any StoredCells) {
        guard let number = try? cells.integer(0) else { return nil }
        self.init(
            id: AccountID(number),
            customer: (try? cells.text(1)) ?? "account \(number)",
            due: Timestamp(milliseconds: (try? cells.integer(2)) ?? 0)
        )
    }
}
