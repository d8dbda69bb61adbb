import TillCore
import TillStorage

/// Due accounts and deliveries, and the pending deliveries to developers' servers.
extension PostgresStorage {
    package func dueAccounts(on clock: ClockName, until: Timestamp, limit: Int) async throws -> [DueAccount] {
        try await dueAccounts(.dueAccounts, Self.place(of: clock) + Arguments(until.milliseconds, limit))
    }

    package func dueAccounts(on clock: ClockName, until: Timestamp, in part: Range<Int64>, limit: Int) async throws
        -> [DueAccount]
    {
        let bounds = Arguments(part.lowerBound, part.upperBound)
        let asked = Self.place(of: clock) + Arguments(until.milliseconds, limit) + bounds
        return try await dueAccounts(.dueAccountsInPart, asked)
    }

    private func dueAccounts(_ statement: Statement, _ arguments: Arguments) async throws -> [DueAccount] {
        try await read(statement, arguments) { row in
            DueAccount(
                id: AccountID(try row.int(0)),
                customer: try row.text(1),
                due: Timestamp(milliseconds: try row.int(2))
            )
        }
    }

    package func nextDue(of id: AccountID) async throws -> Timestamp? {
        try await read(.nextDueOfAccount, Arguments(id.partition.number, id.number)) { Self.date($0, 0) }.first ?? nil
    }

    package func nextDue(on clock: ClockName) async throws -> Timestamp? {
        try await read(.nextDueOnClock, Self.place(of: clock)) { Self.date($0, 0) }.first ?? nil
    }

    package func nextDue(on clock: ClockName, in part: Range<Int64>) async throws -> Timestamp? {
        let arguments = Self.place(of: clock) + Arguments(part.lowerBound, part.upperBound)
        return try await read(.nextDueInPart, arguments) { Self.date($0, 0) }.first ?? nil
    }

    package func dueDeliveries(to endpoint: String, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries
    {
        try await dueDeliveries(.dueDeliveries, Self.place(of: clock) + Arguments(endpoint, until.milliseconds, limit))
    }

    package func dueDeliveries(
        to endpoint: String,
        on clock: ClockName,
        until: Timestamp,
        in part: Range<Int64>,
        limit: Int
    ) async throws -> DueDeliveries {
        let bounds = Arguments(part.lowerBound, part.upperBound)
        let asked = Self.place(of: clock) + Arguments(endpoint, until.milliseconds, limit) + bounds
        return try await dueDeliveries(.dueDeliveriesInPart, asked)
    }

    private func dueDeliveries(_ statement: Statement, _ arguments: Arguments) async throws -> DueDeliveries {
        DueDeliveries(
            try await read(statement, arguments) { row in
                Result { () throws(DamagedRow) in try Delivery(RowCells.deliveries(row)) }
            }
        )
    }

    /// Runs one statement for each notification, in one round trip. A single statement would touch many partitions.
    package func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]] {
        guard !ids.isEmpty else { return [:] }
        let segments = ids.map { [Step(.deliveriesOfEntry, Arguments($0.partition.number, $0.number))] }
        let found = try await pool.perform { session in
            try session.pipeline(segments).flatMap { answer in
                try answer.get().flatMap { try $0.map { try Delivery(RowCells.deliveries($0)) } }
            }
        }
        return Dictionary(grouping: found, by: \.notification)
    }

    /// Runs one statement for each notification, in one round trip.
    package func deliveries(of ids: [NotificationID], to endpoint: String) async throws -> [NotificationID: Delivery] {
        guard !ids.isEmpty else { return [:] }
        let segments = ids.map { id in
            [Step(.deliveryToEndpoint, Arguments(id.partition.number, id.number, endpoint))]
        }
        let found = try await pool.perform { session in
            try session.pipeline(segments).flatMap { answer in
                try answer.get().flatMap { try $0.map { try Delivery(RowCells.deliveries($0)) } }
            }
        }
        return Dictionary(found.map { ($0.notification, $0) }) { first, _ in first }
    }

    package func pendingDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int {
        let arguments = Self.place(of: clock) + Arguments(until?.milliseconds ?? .max)
        return Int(try await read(.pendingCount, arguments) { try $0.int(0) }.first ?? 0)
    }

    package func pendingEndpoints() async throws -> [EndpointName] {
        try await read(.pendingEndpoints) { row -> EndpointName? in
            // A damaged delivery must not hide the other deliveries; the doctor reports it.
            guard let environment = StoreEnvironment(rawValue: try row.text(0)) else { return nil }
            return EndpointName(AccountScope(environment: environment, app: try row.text(1)), try row.text(2))
        }.compactMap(\.self)
    }

    package func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws {
        let drop = Step(.dropDeliveries, Arguments(scope.environment.rawValue, scope.app, endpoint))
        try await audited { try await write($0 + [drop]) }
    }

    package func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws {
        let steps = endpoints.sorted().map { endpoint in
            Step(.redeliver, Arguments(id.partition.number, id.number, endpoint, due.milliseconds))
        }
        try await audited { try await write($0 + steps) }
    }

    package func record(_ deliveries: [Delivery], epoch: Int64?) async throws {
        // All nodes use the same order, so that two nodes cannot deadlock.
        let sorted = deliveries.sorted { ($0.notification, $0.endpoint) < ($1.notification, $1.endpoint) }
        try await write(
            sorted.map { delivery in
                let id = delivery.notification
                return Step(
                    .recordDelivery,
                    Arguments(
                        id.partition.number,
                        id.number,
                        delivery.endpoint,
                        delivery.due?.milliseconds,
                        delivery.attempts.count,
                        delivery.isDelivered,
                        try delivery.storedLog(),
                        epoch
                    )
                )
            }
        )
    }

    // MARK: Notifications

    package func notification(_ id: NotificationID) async throws -> OutboxEntry? {
        try await entries(.entryByID, Arguments(id.partition.number, id.number)).first
    }

    package func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry? {
        try await entries(.entryByUUID, Arguments(uuid, scope.environment.rawValue, scope.app)).first
    }

    package func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry] {
        let step = NotificationPages.step(for: query)
        let entries = try await pool.perform {
            try $0.run(any: step.statement, step.arguments).map { try OutboxEntry(RowCells.outbox($0)) }
        }
        // The statement reads the page in this order, but the join does not preserve the order.
        let sorted = entries.sorted { ($0.signedDate, $0.id) < ($1.signedDate, $1.id) }
        return query.isDescending ? sorted.reversed() : sorted
    }

    // MARK: Reading

    private static func place(of clock: ClockName) -> Arguments {
        Arguments(clock.scope.environment.rawValue, clock.scope.app, clock.key)
    }

    private static func date(_ row: Row, _ column: Int) -> Timestamp? {
        row.maybeInt(column).map { Timestamp(milliseconds: $0) }
    }

    private func entries(_ statement: Statement, _ arguments: Arguments) async throws -> [OutboxEntry] {
        try await read(statement, arguments) { try OutboxEntry(RowCells.outbox($0)) }
    }
}
