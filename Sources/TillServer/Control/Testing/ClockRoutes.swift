import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on the clock of an app's environment, and on customer clocks.
extension ControlAPI {
    private static let modes = ["real", "frozen", "running"]

    private static let clockProperties = [
        Schema.optional("name", .string("The name of a customer clock; absent for the environment's clock.")),
        Schema.required("mode", .string("The mode: real time, frozen, or running at a speed.", oneOf: modes)),
        Schema.required("now", .integer("The time that the clock shows, in milliseconds since 1970.")),
        Schema.optional("speed", .integer("The speed of a running clock, as a multiple of real time.")),
    ]

    private static let clockSchema = Schema.object("A clock.", clockProperties)

    private static let advanceSchema = Schema.object(
        "The result of an advance. All changes are stored.",
        [
            Schema.required("from", .integer("The time before the advance, in milliseconds since 1970.")),
            Schema.required("to", .integer("The time after the advance, in milliseconds since 1970.")),
            Schema.required("accounts", .integer("The number of accounts in which events occurred.")),
            Schema.required(
                "notifications",
                .array(
                    "The number of created notifications, by type and subtype.",
                    of: .object(
                        "The number of notifications of a type.",
                        [
                            Schema.required(
                                "notice",
                                .string("The type, with a subtype after a slash: `DID_RENEW`, `EXPIRED/VOLUNTARY`.")
                            ),
                            Schema.required("count", .integer("The number of notifications.")),
                        ]
                    )
                )
            ),
            Schema.required(
                "setAside",
                .array(
                    "Customers in quarantine, because their accounts could not be processed.",
                    of: .string("A customer.")
                )
            ),
            Schema.optional(
                "owed",
                .integer("The number of due deliveries that have not succeeded; only with settle.")
            ),
        ]
    )

    private static let progressSchema = Schema.object(
        "The progress of an advance.",
        [
            Schema.required("isUnderWay", .boolean("Whether an advance is running.")),
            Schema.optional("from", .integer("The time before the advance, in milliseconds since 1970.")),
            Schema.optional("to", .integer("The time after the advance, in milliseconds since 1970.")),
            Schema.optional("accounts", .integer("The number of accounts processed so far.")),
            Schema.optional("notifications", .integer("The number of notifications created so far.")),
        ]
    )

    private var modeProperties: [Schema.Property] {
        [
            Schema.optional(
                "at",
                .integer(
                    "Only for frozen: the time that the clock shows; by default its current time.",
                    ControlLimit.clockTimes
                )
            ),
            Schema.optional(
                "speed",
                .integer("Only for running: the speed as a multiple of real time; 1 by default.", 1...10_000_000)
            ),
        ]
    }

    private var changeSchema: Schema {
        .object(
            "The clock's new mode.",
            [
                Schema.required(
                    "mode",
                    .string(
                        "The mode. real is possible only if the clock is not ahead of real time.",
                        oneOf: Self.modes
                    )
                )
            ]
                + modeProperties
        )
    }

    private var advanceSchema: Schema {
        .object(
            "The end of the advance: one of by, to and toNextEvent.",
            [
                Schema.optional("by", .string("A duration by which to advance: P1M, 1mo, 36h, PT36H.", example: "P1M")),
                Schema.optional(
                    "to",
                    .integer("The time to which to advance, in milliseconds since 1970.", ControlLimit.clockTimes)
                ),
                Schema.optional("toNextEvent", .boolean("Whether to advance to the next scheduled event.")),
                Schema.optional(
                    "settle",
                    .boolean("Whether to wait until every due notification is delivered, for a minute at most.")
                ),
            ]
        )
    }

    var clockRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clock",
                id: "getClock",
                tag: "clocks",
                summary: "Shows the clock of the app's environment.",
                response: Self.clockSchema
            ) { json(try name(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/clock",
                id: "setClock",
                tag: "clocks",
                summary: "Freezes the clock, runs it at a speed, or sets it to real time. A clock never goes back.",
                request: changeSchema,
                response: Self.clockSchema
            ) { try await set(try name(of: $0), $0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/clock/advance",
                id: "advanceClock",
                tag: "clocks",
                summary: "Advances the clock, and processes every event that is due before the new time.",
                request: advanceSchema,
                response: Self.advanceSchema
            ) { try await advance(try name(of: $0), $0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clock/leap",
                id: "getLeap",
                tag: "clocks",
                summary: "Shows the progress of an advance of the clock.",
                response: Self.progressSchema
            ) { progress(try name(of: $0)) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clocks",
                id: "listClocks",
                tag: "clocks",
                summary: "Lists the customer clocks.",
                response: .object(
                    "Clocks.",
                    [Schema.required("clocks", .array("The clocks by name.", of: Self.clockSchema))]
                )
            ) { exchange in
                let scope = try exchange.scope()
                var json = JSONWriter()
                json.put(
                    "clocks",
                    objects: shop.clocks.own(in: scope).map { self.json(ClockName(scope, own: $0)) }
                )
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/clocks",
                id: "createClock",
                tag: "clocks",
                summary: "Creates a customer clock.",
                request: .object(
                    "The clock to create.",
                    [
                        Schema.required(
                            "name",
                            .string("The name: 1 to 64 letters, digits, dots, dashes or underscores.")
                        ),
                        Schema.optional("mode", .string("The mode; frozen by default.", oneOf: Self.modes)),
                    ] + modeProperties
                ),
                response: Self.clockSchema,
                status: .created
            ) { try await create($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
                id: "getOwnClock",
                tag: "clocks",
                summary: "Shows a customer clock.",
                response: Self.clockSchema
            ) { json(try ownName(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
                id: "setOwnClock",
                tag: "clocks",
                summary: "Freezes a customer clock, runs it at a speed, or sets it to real time.",
                request: changeSchema,
                response: Self.clockSchema
            ) { try await set(try ownName(of: $0), $0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}/advance",
                id: "advanceOwnClock",
                tag: "clocks",
                summary: "Advances a customer clock.",
                request: advanceSchema,
                response: Self.advanceSchema
            ) { try await advance(try ownName(of: $0), $0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}/leap",
                id: "getOwnLeap",
                tag: "clocks",
                summary: "Shows the progress of an advance of a customer clock.",
                response: Self.progressSchema
            ) { progress(try ownName(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/clock",
                id: "useClock",
                tag: "clocks",
                summary:
                    "Assigns a customer clock, or the environment's clock, to a customer and the customer's family.",
                request: .object(
                    "The clock to assign.",
                    [
                        Schema.optional(
                            "clock",
                            .string("The name of a customer clock; by default the environment's clock.")
                        )
                    ]
                ),
                response: SchemaRecorder.documented.schema(of: CustomerInfo.self)
            ) { exchange in
                let account = try await exchange.account()
                let own = exchange.body.text("clock")
                if let own { try check(own, in: try exchange.scope()) }
                var bytes: [UInt8] = []
                let changed = try await perform(.useClock(own), by: account, at: nil).account
                try JSONTree(encoding: info(of: changed)).append(to: &bytes)
                return bytes
            },
        ]
    }

    // MARK: Clock names

    private func name(of exchange: ControlExchange) throws -> ClockName { ClockName(try exchange.scope()) }

    private func ownName(of exchange: ControlExchange) throws -> ClockName {
        let scope = try exchange.scope()
        let own = exchange.parameter("clock")
        try check(own, in: scope)
        return ClockName(scope, own: own)
    }

    private func check(_ own: String, in scope: AccountScope) throws { try check(ClockName(scope, own: own)) }

    /// Checks that a clock exists.
    ///
    /// - Throws: `ControlError` for an unknown clock.
    func check(_ name: ClockName) throws {
        guard let own = name.own, shop.clock(name) == nil else { return }
        let scope = name.scope
        let known = shop.clocks.own(in: scope)
        throw ControlError.notFound(
            "unknown_clock",
            "There is no clock \(own.prefix(64)). "
                + (known.isEmpty ? "Create one with till clock create." : "Clocks: \(known.joined(separator: ", ")).")
        )
    }

    // MARK: Operations

    private func create(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let own = exchange.body.text("name") ?? ""
        let isPlain = own.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                || [0x2d, 0x2e, 0x5f].contains($0)
        }
        guard isPlain, (1...64).contains(own.utf8.count), own != ".", own != ".." else {
            throw ControlError.bad(
                "bad_clock",
                "A clock's name must be 1 to 64 letters, digits, dots, dashes or underscores.",
                path: "$.name"
            )
        }
        let name = ClockName(scope, own: own)
        let start = exchange.body.instant("at") ?? shop.now(in: scope)
        let state: ClockState =
            switch exchange.body.text("mode") {
            case "real": .real
            case "running":
                .running(from: start, since: shop.wallClock(), speed: Double(exchange.body.number("speed") ?? 1))
            default: .frozen(at: start)
            }
        try await shop.createClock(name, state)
        return json(name)
    }

    private func set(_ name: ClockName, _ exchange: ControlExchange) async throws -> [UInt8] {
        let body = exchange.body
        let mode = body.text("mode")
        guard body.number("at") == nil || mode == "frozen" else {
            throw ControlError.bad("bad_clock", "at is only for the mode frozen.", path: "$.at")
        }
        let change: ClockChange =
            switch mode {
            case "frozen": .freeze(at: body.instant("at"))
            case "running": .run(speed: Double(body.number("speed") ?? 1))
            default: .real
            }
        _ = try await shop.setClock(name, change)
        return json(name)
    }

    private func advance(_ name: ClockName, _ exchange: ControlExchange) async throws -> [UInt8] {
        let target = try Self.target(exchange.body)
        let report = try await shop.advance(name, target, settling: exchange.body.flag("settle") ?? false)
        var json = JSONWriter()
        json.put("from", report.from)
        json.put("to", report.to)
        json.put("accounts", report.accounts)
        json.put(
            "notifications",
            objects: report.notifications.map {
                var json = JSONWriter()
                json.put("notice", $0.words)
                json.put("count", $0.count)
                return json.finish()
            }
        )
        json.put("setAside", report.quarantine)
        json.put("owed", report.pending)
        return json.finish()
    }

    private static func target(_ body: ControlBody) throws -> AdvanceTarget {
        switch (body.text("by"), body.instant("to"), body.flag("toNextEvent") ?? false) {
        case (nil, let instant?, false): return .to(instant)
        case (nil, nil, true): return .toNextEvent
        case (let text?, nil, false):
            switch TimeExpression(text) {
            case .period(let period)?: return .byPeriod(period)
            case .milliseconds(let milliseconds)?: return .by(milliseconds: milliseconds)
            case .instant?, nil:
                let message = "by must be a duration such as 36h, 3d, 2w, 1mo, 1y, PT36H or P1M."
                throw ControlError.bad("bad_duration", message, path: "$.by")
            }
        default:
            throw ControlError.bad("bad_leap", "Give one of by, to and toNextEvent.", path: "$")
        }
    }

    // MARK: Answers

    private func json(_ name: ClockName) -> [UInt8] {
        let state = shop.clock(name) ?? .real
        var json = JSONWriter()
        json.put("name", name.own)
        switch state {
        case .real: json.put("mode", "real")
        case .frozen: json.put("mode", "frozen")
        case .running: json.put("mode", "running")
        }
        json.put("now", shop.now(on: name))
        if case .running(_, _, let speed) = state { json.put("speed", Int64(speed)) }
        return json.finish()
    }

    private func progress(_ name: ClockName) -> [UInt8] {
        var json = JSONWriter()
        let progress = shop.advanceUnderWay(on: name)
        json.put("isUnderWay", progress != nil)
        json.put("from", progress?.from)
        json.put("to", progress?.to)
        json.put("accounts", progress?.accounts)
        json.put("notifications", progress?.notifications)
        return json.finish()
    }
}
