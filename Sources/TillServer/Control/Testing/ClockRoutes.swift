import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// The clock of an app's environment, and clocks on which single customers live.
extension ControlAPI {
    private static let modes = ["real", "frozen", "running"]

    private static let clockProperties = [
        Schema.optional("name", .string("The clock's name; absent for that of the app's environment.")),
        Schema.required("mode", .string("As the wall's, standing still, or at a speed.", oneOf: modes)),
        Schema.required("now", .integer("What it shows, in milliseconds since 1970.")),
        Schema.optional("speed", .integer("How many times as fast as the wall's it runs.")),
    ]

    private static let clockSchema = Schema.object("A clock.", clockProperties)

    private static let advanceSchema = Schema.object(
        "What a leap brought; all of it is committed.",
        [
            Schema.required("from", .integer("Where the clock stood, in milliseconds since 1970.")),
            Schema.required("to", .integer("Where it stands.")),
            Schema.required("accounts", .integer("Accounts in which something happened.")),
            Schema.required(
                "notifications",
                .array(
                    "What the developer's server is told, by type and subtype.",
                    of: .object(
                        "How often something was told.",
                        [
                            Schema.required("notice", .string("`DID_RENEW`, `EXPIRED/VOLUNTARY` and the like.")),
                            Schema.required("count", .integer("How often.")),
                        ]
                    )
                )
            ),
            Schema.required(
                "setAside",
                .array("Customers whose accounts could not be brought up to date.", of: .string("A customer."))
            ),
            Schema.optional("owed", .integer("Deliveries that were due and not made; only after settling.")),
        ]
    )

    private static let progressSchema = Schema.object(
        "How far a leap has come.",
        [
            Schema.required("isUnderWay", .boolean("Whether there is one.")),
            Schema.optional("from", .integer("Where the clock stood.")),
            Schema.optional("to", .integer("Where it will stand.")),
            Schema.optional("accounts", .integer("Accounts that were brought up to date.")),
            Schema.optional("notifications", .integer("Notifications that were made.")),
        ]
    )

    private var modeProperties: [Schema.Property] {
        [
            Schema.optional("at", .integer("Where it stands when frozen; where it is by default.", instants)),
            Schema.optional("speed", .integer("How fast it runs when running; 1 by default.", 1...10_000_000)),
        ]
    }

    private var changeSchema: Schema {
        .object(
            "How it goes on.",
            [Schema.required("mode", .string("real needs a clock that is not ahead.", oneOf: Self.modes))]
                + modeProperties
        )
    }

    private var advanceSchema: Schema {
        .object(
            "How far it leaps: one of by, to and toNextEvent.",
            [
                Schema.optional("by", .string("A length of time: P1M, 1mo, 36h, PT36H.", example: "P1M")),
                Schema.optional("to", .integer("An instant.", instants)),
                Schema.optional("toNextEvent", .boolean("To the next thing that happens by itself.")),
                Schema.optional(
                    "settle",
                    .boolean("Waits, a minute at the most, until nothing that is due is left to deliver.")
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
                summary: "The clock of the app's environment.",
                response: Self.clockSchema
            ) { json(try name(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/clock",
                id: "setClock",
                tag: "clocks",
                summary: "Freezes the clock, lets it run, or makes it real; it never goes back.",
                request: changeSchema,
                response: Self.clockSchema
            ) { try await set(try name(of: $0), $0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/clock/advance",
                id: "advanceClock",
                tag: "clocks",
                summary: "Lets the clock leap, and all happen that falls due on the way.",
                request: advanceSchema,
                response: Self.advanceSchema
            ) { try await advance(try name(of: $0), $0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clock/leap",
                id: "getLeap",
                tag: "clocks",
                summary: "How far a leap of the clock has come.",
                response: Self.progressSchema
            ) { progress(try name(of: $0)) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clocks",
                id: "listClocks",
                tag: "clocks",
                summary: "Clocks on which single customers live.",
                response: .object("Clocks.", [Schema.required("clocks", .array("By name.", of: Self.clockSchema))])
            ) { exchange in
                let scope = try exchange.scope()
                var json = PayloadWriter()
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
                summary: "Makes a clock on which single customers can live.",
                request: .object(
                    "A clock.",
                    [
                        Schema.required("name", .string("1 to 64 letters, digits, dots, dashes or underscores.")),
                        Schema.optional("mode", .string("frozen by default.", oneOf: Self.modes)),
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
                summary: "A clock on which single customers live.",
                response: Self.clockSchema
            ) { json(try ownName(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
                id: "setOwnClock",
                tag: "clocks",
                summary: "Freezes such a clock, lets it run, or makes it real.",
                request: changeSchema,
                response: Self.clockSchema
            ) { try await set(try ownName(of: $0), $0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}/advance",
                id: "advanceOwnClock",
                tag: "clocks",
                summary: "Lets such a clock leap.",
                request: advanceSchema,
                response: Self.advanceSchema
            ) { try await advance(try ownName(of: $0), $0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/clocks/{clock}/leap",
                id: "getOwnLeap",
                tag: "clocks",
                summary: "How far a leap of such a clock has come.",
                response: Self.progressSchema
            ) { progress(try ownName(of: $0)) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/clock",
                id: "useClock",
                tag: "clocks",
                summary: "Puts a customer and the family on a clock of their own, or back on that of the environment.",
                request: .object(
                    "A clock.",
                    [Schema.optional("clock", .string("Its name; left out, the environment's."))]
                ),
                response: Self.customerSchema
            ) { exchange in
                let account = try await exchange.account()
                let own = exchange.body.text("clock")
                if let own { try check(own, in: try exchange.scope()) }
                return json(try await act(.useClock(own), by: account, exchange).account)
            },
        ]
    }

    // MARK: Names

    private func name(of exchange: ControlExchange) throws -> ClockName { ClockName(try exchange.scope()) }

    private func ownName(of exchange: ControlExchange) throws -> ClockName {
        let scope = try exchange.scope()
        let own = exchange.parameter("clock")
        try check(own, in: scope)
        return ClockName(scope, own: own)
    }

    private func check(_ own: String, in scope: AccountScope) throws { try check(ClockName(scope, own: own)) }

    /// - Throws: `ControlError` for a clock that nobody made.
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

    // MARK: Acts

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
                "A clock's name is 1 to 64 letters, digits, dots, dashes or underscores.",
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
            throw ControlError.bad("bad_clock", "at goes with the mode frozen.", path: "$.at")
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
        var json = PayloadWriter()
        json.put("from", report.from)
        json.put("to", report.to)
        json.put("accounts", report.accounts)
        json.put(
            "notifications",
            objects: report.notifications.map {
                var json = PayloadWriter()
                json.put("notice", $0.words)
                json.put("count", $0.count)
                return json.finish()
            }
        )
        json.put("setAside", report.quarantine)
        json.put("owed", report.owed)
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
                let message = "A length of time is 36h, 3d, 2w, 1mo, 1y, PT36H or P1M."
                throw ControlError.bad("bad_duration", message, path: "$.by")
            }
        default:
            throw ControlError.bad("bad_leap", "Give one of by, to and toNextEvent.", path: "$")
        }
    }

    // MARK: Answers

    private func json(_ name: ClockName) -> [UInt8] {
        let state = shop.clock(name) ?? .real
        var json = PayloadWriter()
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
        var json = PayloadWriter()
        let progress = shop.advanceUnderWay(on: name)
        json.put("isUnderWay", progress != nil)
        json.put("from", progress?.from)
        json.put("to", progress?.to)
        json.put("accounts", progress?.accounts)
        json.put("notifications", progress?.notifications)
        return json.finish()
    }
}
