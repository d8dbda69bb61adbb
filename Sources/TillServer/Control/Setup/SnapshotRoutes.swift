import HTTPTypes
import Hummingbird
import NIOCore
import TillShop
import TillStorage

/// Reset, snapshots, export and import (docs/operating/reset-and-snapshots.md).
extension ControlAPI {
    private static let appProperty = Schema.optional(
        "bundleId",
        .string("Only this app; by default all apps.")
    )

    private static let snapshotSchema = Schema.object(
        "A snapshot.",
        [
            Schema.required("name", .string("Its name.")),
            Schema.optional("bundleId", .string("The app; absent for all apps.")),
            Schema.required("savedAt", .integer("The real time, in milliseconds since 1970.")),
            Schema.required("customers", .integer("Customers in it.")),
            Schema.required("transactions", .integer("Transactions in it.")),
            Schema.required("notifications", .integer("Notifications in it.")),
        ]
    )

    private static let countsSchema = Schema.object(
        "The imported data.",
        [
            Schema.optional("bundleId", .string("The app; absent for all apps.")),
            Schema.required("customers", .integer("Customers in it.")),
            Schema.required("transactions", .integer("Transactions in it.")),
            Schema.required("notifications", .integer("Notifications in it.")),
        ]
    )

    /// Paths that accept bodies of any length.
    package static let uploads: Set<String> = ["/v1/state"]

    var snapshotRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/reset",
                id: "reset",
                tag: "clean state",
                summary: "Erases all activity, after running operations have ended. Identifiers are never reused.",
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
                    [Schema.required("snapshots", .array("By name.", of: Self.snapshotSchema))]
                )
            ) { _ in
                var json = PayloadWriter()
                json.put("snapshots", objects: try await shop.snapshots().map { Self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .put,
                path: "/v1/snapshots/{name}",
                id: "saveSnapshot",
                tag: "clean state",
                summary: "Saves the current state as a snapshot, replacing an earlier snapshot of that name.",
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
                summary: "Restores a snapshot exactly, after running operations have ended.",
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
            summary: "Exports the current state with its secrets, as one line of JSON for each row.",
            query: [Schema.optional("bundleId", .string("Only this app; by default all apps."))],
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
            summary: "Replaces the current state with an exported one, completely or not at all.",
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
        var json = PayloadWriter()
        json.put("name", snapshot.name)
        json.put("bundleId", snapshot.app)
        json.put("savedAt", snapshot.savedAt)
        json.put("customers", snapshot.customers)
        json.put("transactions", snapshot.transactions)
        json.put("notifications", snapshot.notifications)
        return json.finish()
    }

    private static func counts(_ snapshot: Snapshot) -> [UInt8] {
        var json = PayloadWriter()
        json.put("bundleId", snapshot.app)
        json.put("customers", snapshot.customers)
        json.put("transactions", snapshot.transactions)
        json.put("notifications", snapshot.notifications)
        return json.finish()
    }
}

extension StateRefused {
    /// 404 for missing things, 400 for invalid values, 403 if the operator forbids it, 409 otherwise.
    var status: HTTPResponse.Status {
        switch self {
        case .forbidden: .forbidden
        case .badName, .badFile: .badRequest
        case .unknownSnapshot, .unknownApp: .notFound
        case .tooMany, .collides: .conflict
        }
    }
}
