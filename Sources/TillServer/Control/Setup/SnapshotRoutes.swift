import HTTPTypes
import Hummingbird
import NIOCore
import TillControl
import TillJSON
import TillShop
import TillStorage

/// Operations for reset, snapshots, export and import (docs/operating/reset-and-snapshots.md).
extension ControlAPI {
    private static let appProperty = Schema.optional(
        "bundleId",
        .string("The app; by default all apps.")
    )

    private static let snapshotSchema = Schema.object(
        "A snapshot.",
        [
            Schema.required("name", .string("The name of the snapshot.")),
            Schema.optional("bundleId", .string("The app; absent for all apps.")),
            Schema.required(
                "savedAt",
                .integer("When the snapshot was saved, in milliseconds of real time since 1970.")
            ),
            Schema.required("customers", .integer("The number of customers.")),
            Schema.required("transactions", .integer("The number of transactions.")),
            Schema.required("notifications", .integer("The number of notifications.")),
        ]
    )

    private static let countsSchema = Schema.object(
        "The imported data.",
        [
            Schema.optional("bundleId", .string("The app; absent for all apps.")),
            Schema.required("customers", .integer("The number of customers.")),
            Schema.required("transactions", .integer("The number of transactions.")),
            Schema.required("notifications", .integer("The number of notifications.")),
        ]
    )

    /// The paths whose request bodies may have any length.
    package static let uploads: Set<String> = ["/v1/state"]

    var snapshotRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/reset",
                id: "reset",
                tag: "clean state",
                summary:
                    "Erases all activity: customers, purchases, notifications, clocks and fault rules.",
                request: .object(
                    "The data to erase.",
                    [
                        Self.appProperty,
                        Schema.optional(
                            "everything",
                            .boolean("Also deletes apps, keys, catalogs and settings; false by default.")
                        ),
                    ]
                ),
                waitsForRestore: false
            ) { exchange in
                let everything = exchange.body.flag("everything") == true
                try await shop.reset(app: exchange.body.text("bundleId"), everything ? .everything : .happenings)
                return []
            },
            ControlRoute(
                method: .get,
                path: "/v1/snapshots",
                id: "listSnapshots",
                tag: "clean state",
                summary: "Lists the snapshots.",
                response: .object(
                    "Snapshots.",
                    [Schema.required("snapshots", .array("The snapshots by name.", of: Self.snapshotSchema))]
                )
            ) { _ in
                var json = JSONWriter()
                json.put("snapshots", objects: try await shop.snapshots().map { Self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .put,
                path: "/v1/snapshots/{name}",
                id: "saveSnapshot",
                tag: "clean state",
                summary: "Saves the current state as a snapshot, and replaces an existing snapshot of that name.",
                request: .object("The data to save.", [Self.appProperty]),
                response: Self.snapshotSchema
            ) { exchange in
                let name = exchange.parameter("name")
                return Self.json(try await shop.saveSnapshot(name, of: exchange.body.text("bundleId")))
            },
            ControlRoute(
                method: .post,
                path: "/v1/snapshots/{name}/restore",
                id: "restoreSnapshot",
                tag: "clean state",
                summary: "Restores the state exactly as it was saved. Waits for running operations.",
                response: Self.snapshotSchema,
                waitsForRestore: false
            ) { exchange in
                Self.json(try await shop.restoreSnapshot(exchange.parameter("name")))
            },
            ControlRoute(
                method: .delete,
                path: "/v1/snapshots/{name}",
                id: "removeSnapshot",
                tag: "clean state",
                summary: "Deletes a snapshot."
            ) { exchange in
                try await shop.removeSnapshot(exchange.parameter("name"))
                return []
            },
            exportRoute, importRoute,
        ]
    }

    private var exportRoute: ControlRoute {
        ControlRoute(
            method: .get,
            path: "/v1/state",
            id: "exportState",
            tag: "clean state",
            summary: "Exports the current state, including shared secrets, as one line of JSON for each row.",
            query: [Schema.optional("bundleId", .string("The app; by default all apps."))],
            response: .anyObject("JSON lines, described in docs/operating/reset-and-snapshots.md."),
            transfer: .download { exchange in
                let app = exchange.query.values("bundleId").first
                try shop.checkExport(of: app)
                return ResponseBody { writer in
                    try await shop.exportState(of: app) { try await writer.write(ByteBuffer(bytes: $0)) }
                    try await writer.finish(nil)
                }
            }
        ) { _ in [] }
    }

    private var importRoute: ControlRoute {
        ControlRoute(
            method: .put,
            path: "/v1/state",
            id: "importState",
            tag: "clean state",
            summary: "Replaces the current state with an exported state, completely or not at all.",
            request: .anyObject("The JSON lines of an export."),
            response: Self.countsSchema,
            waitsForRestore: false,
            transfer: .upload { _, body in
                var state = try StateImport(shop)
                do {
                    for try await part in body { try await state.take(part.readableBytesView) }
                } catch {
                    await state.abandon()
                    throw error
                }
                return Self.counts(try await state.finish())
            }
        ) { _ in [] }
    }

    private static func json(_ snapshot: Snapshot) -> [UInt8] {
        var json = JSONWriter()
        json.put("name", snapshot.name)
        json.put("bundleId", snapshot.app)
        json.put("savedAt", snapshot.savedAt)
        json.put("customers", snapshot.customers)
        json.put("transactions", snapshot.transactions)
        json.put("notifications", snapshot.notifications)
        return json.finish()
    }

    private static func counts(_ snapshot: Snapshot) -> [UInt8] {
        var json = JSONWriter()
        json.put("bundleId", snapshot.app)
        json.put("customers", snapshot.customers)
        json.put("transactions", snapshot.transactions)
        json.put("notifications", snapshot.notifications)
        return json.finish()
    }
}

extension StateRefused {
    /// The HTTP status: 404 for missing objects, 400 for invalid values, 403 if the operator forbids the operation, and
    /// otherwise 409.
    var status: HTTPResponse.Status {
        switch self {
        case .forbidden: .forbidden
        case .badName, .badFile: .badRequest
        case .unknownSnapshot, .unknownApp: .notFound
        case .tooMany, .collides: .conflict
        }
    }
}
