import HTTPTypes
import Hummingbird
import NIOCore
import TillShop
import TillStorage

/// Reset, snapshots, and states that are carried elsewhere (docs/operating/clean-state.md).
extension ControlAPI {
    private static let appProperty = Schema.optional(
        "bundleId",
        .string("Of this app alone; left out, of the whole shop.")
    )

    private static let snapshotSchema = Schema.object(
        "A snapshot.",
        [
            Schema.required("name", .string("Its name.")),
            Schema.optional("bundleId", .string("The app; left out, the whole shop.")),
            Schema.required("savedAt", .integer("By the wall, in milliseconds since 1970.")),
            Schema.required("customers", .integer("Customers in it.")),
            Schema.required("transactions", .integer("Transactions in it.")),
            Schema.required("notifications", .integer("Notifications in it.")),
        ]
    )

    private static let countsSchema = Schema.object(
        "What was taken in.",
        [
            Schema.optional("bundleId", .string("The app; left out, the whole shop.")),
            Schema.required("customers", .integer("Customers in it.")),
            Schema.required("transactions", .integer("Transactions in it.")),
            Schema.required("notifications", .integer("Notifications in it.")),
        ]
    )

    /// Paths that take a state of any length.
    package static let uploads: Set<String> = ["/v1/state"]

    var cleanStateRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/reset",
                id: "reset",
                tag: "clean state",
                summary: "Erases all that happened. What is under way ends first; identifiers are never used again.",
                request: .object(
                    "What is erased.",
                    [
                        Self.appProperty,
                        Schema.optional("everything", .boolean("Also what was set up; false by default.")),
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
                summary: "The states that were saved.",
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
                summary: "Saves the present state under a name, over what was saved under it before.",
                request: .object("What is saved.", [Self.appProperty]),
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
                summary: "Puts a state back exactly as it was saved. What is under way ends first.",
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
                summary: "Forgets a state that was saved."
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
            summary: "Writes the present state out, with its secrets: a line of JSON for each row.",
            query: [Schema.optional("bundleId", .string("Of this app alone; left out, of the whole shop."))],
            response: .anyObject("Lines; docs/operating/clean-state.md describes them."),
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
            summary: "Puts a state that was written out in place of what there is of it, whole or not at all.",
            request: .anyObject("Lines, as the export wrote them."),
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
    /// 404 for what is not there, 400 for what can never be, 403 for what the operator forbids, 409 otherwise.
    var status: HTTPResponse.Status {
        switch self {
        case .forbidden: .forbidden
        case .badName, .badFile: .badRequest
        case .unknownSnapshot, .unknownApp: .notFound
        case .tooMany, .collides: .conflict
        }
    }
}
