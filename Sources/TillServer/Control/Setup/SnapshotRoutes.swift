import HTTPTypes
import Hummingbird
import NIOCore
import TillControl
import TillShop
import TillStorage

/// Operations for reset, snapshots, export and import (docs/operating/reset-and-snapshots.md).
extension ControlAPI {
    /// The paths whose request bodies may have any length.
    package static let uploads: Set<String> = [ImportState.operation.path]

    var snapshotRoutes: [ControlRoute] {
        [
            ControlRoute(Reset.self, waitsForRestore: false) { call in
                let depth: ResetDepth = call.everything == true ? .everything : .happenings
                try await shop.reset(app: call.bundleId, depth, confirmation: call.confirm)
                return NoAnswer()
            },
            ControlRoute(ListSnapshots.self) { _ in
                try await shop.snapshots.all().map { SnapshotInfo($0) }
            },
            ControlRoute(SaveSnapshot.self) { call in
                SnapshotInfo(try await shop.snapshots.save(call.name, of: call.bundleId))
            },
            ControlRoute(RestoreSnapshot.self, waitsForRestore: false) { call in
                SnapshotInfo(try await shop.restoreSnapshot(call.name, confirmation: call.confirm))
            },
            ControlRoute(RemoveSnapshot.self) { call in
                try await shop.snapshots.remove(call.name)
                return NoAnswer()
            },
            ControlRoute(CompareSnapshots.self) { try await compare($0) },
            ControlRoute(ExportState.self) { call in
                try shop.snapshots.checkKnown(call.bundleId)
                return ResponseBody { writer in
                    try await shop.snapshots.export(call.bundleId) { try await writer.write(ByteBuffer(bytes: $0)) }
                    try await writer.finish(nil)
                }
            },
            ControlRoute(ImportState.self) { call, body in
                var state = try StateImport(shop, confirmation: call.confirm)
                do {
                    for try await part in body { try await state.take(part.readableBytesView) }
                } catch {
                    await state.abandon()
                    throw error
                }
                return StateImportInfo(try await state.finish())
            },
        ]
    }
}

extension SnapshotInfo {
    init(_ snapshot: Snapshot) {
        self.init(
            name: snapshot.name,
            bundleId: snapshot.app,
            savedAt: snapshot.savedAt,
            customers: snapshot.customers,
            transactions: snapshot.transactions,
            notifications: snapshot.notifications
        )
    }
}

extension StateImportInfo {
    init(_ snapshot: Snapshot) {
        self.init(
            bundleId: snapshot.app,
            customers: snapshot.customers,
            transactions: snapshot.transactions,
            notifications: snapshot.notifications
        )
    }
}

extension StateRefused {
    /// The HTTP status: 404 for missing objects, 400 for invalid values, 403 if the operator forbids the operation, and
    /// otherwise 409.
    var status: HTTPResponse.Status {
        switch self {
        case .forbidden, .unconfirmed, .kept: .forbidden
        case .badName, .badFile: .badRequest
        case .unknownSnapshot, .unknownApp: .notFound
        case .tooMany, .collides: .conflict
        }
    }
}
