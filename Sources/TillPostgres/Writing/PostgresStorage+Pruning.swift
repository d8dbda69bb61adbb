import TillCore
import TillStorage

/// Deletes old notifications.
extension PostgresStorage {
    package func prunable(_ query: PruneQuery) async throws -> [Prunable] {
        let after = query.after ?? (Timestamp(milliseconds: .min), NotificationID(0))
        let arguments = Arguments(
            query.scope.environment.rawValue,
            query.scope.app,
            after.signedDate.milliseconds,
            after.id.number,
            query.signedBefore.milliseconds,
            query.below?.number ?? .max,
            query.testsBefore.milliseconds,
            query.limit
        )
        return try await read(.prunable, arguments) { row in
            Prunable(
                id: NotificationID(try row.int(0)),
                signedDate: Timestamp(milliseconds: try row.int(1)),
                deliveries: Int(try row.int(2)),
                pending: Int(try row.int(3))
            )
        }
    }

    package func prune(_ ids: [NotificationID]) async throws {
        let steps = ids.sorted().flatMap { id in
            let place = Arguments(id.partition.number, id.number)
            return [Step(.pruneDeliveries, place), Step(.pruneEntry, place)]
        }
        try await audited { try await write($0 + steps) }
    }
}
