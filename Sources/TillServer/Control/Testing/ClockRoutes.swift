import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on the clock of an app's environment, on customer clocks, and on the events on them.
extension ControlAPI {
    var clockRoutes: [ControlRoute] {
        [
            ControlRoute(GetClock.self) { info(of: try name($0.clock, $0)) },
            ControlRoute(SetClock.self) { try await set(try name($0.clock, $0), $0.request) },
            ControlRoute(AdvanceClock.self) { call in
                let name = try name(call.clock, call)
                return AdvanceReportInfo(try await shop.advance(name, try target(call.request)))
            },
            ControlRoute(ListClocks.self) { call in
                let scope = try call.scope()
                return shop.clocks.own(in: scope).map { info(of: ClockName(scope, own: $0)) }
            },
            ControlRoute(CreateClock.self) { try await create($0) },
            // The operation itself waits until no other operation runs.
            ControlRoute(DeleteClock.self, waitsForRestore: false) { call in
                try await shop.deleteClock(try name(call.clock, call))
                return NoAnswer()
            },
            ControlRoute(ListUpcomingEvents.self) { try await listUpcomingEvents($0) },
        ]
    }

    // MARK: Clock names

    /// The clock of the request's environment, or a customer clock.
    ///
    /// - Throws: `ControlError` for an unknown clock.
    private func name(_ own: String?, _ call: ControlCall<some EnvironmentRequest>) throws -> ClockName {
        let name = ClockName(try call.scope(), own: own)
        try check(name)
        return name
    }

    /// Checks that a clock exists.
    ///
    /// - Throws: `ControlError` for an unknown clock.
    func check(_ name: ClockName) throws {
        guard let own = name.own, shop.clock(name) == nil else { return }
        let known = shop.clocks.own(in: name.scope)
        throw ControlError.notFound(
            "unknown_clock",
            "There is no clock \(own.prefix(64)). "
                + (known.isEmpty ? "Create one with till clock create." : "Clocks: \(known.joined(separator: ", ")).")
        )
    }

    // MARK: Operations

    private func create(_ call: ControlCall<CreateClock>) async throws -> ClockInfo {
        let scope = try call.scope()
        let own = call.name
        try Self.check(clockName: own, path: "$.name")
        let name = ClockName(scope, own: own)
        let start = call.at ?? shop.now(in: scope)
        let state: ClockState =
            switch call.mode ?? .frozen {
            case .real: .real
            case .running: .running(from: start, since: shop.wallClock(), speed: Double(call.speed ?? 1))
            case .frozen: .frozen(at: start)
            }
        try await shop.createClock(name, state)
        return info(of: name)
    }

    private func set(_ name: ClockName, _ request: SetClock) async throws -> ClockInfo {
        guard request.at == nil || request.mode == .frozen else {
            throw ControlError.bad("bad_clock", "at is only for the mode frozen.", path: "$.at")
        }
        let change: ClockChange =
            switch request.mode {
            case .frozen: .freeze(at: request.at)
            case .running: .run(speed: Double(request.speed ?? 1))
            case .real: .real
            }
        _ = try await shop.setClock(name, change)
        return info(of: name)
    }

    private func target(_ request: AdvanceClock) throws -> AdvanceTarget {
        switch (request.by, request.to, request.toNextEvent ?? false) {
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
            throw ControlError.bad("bad_advance", "Give one of by, to and toNextEvent.", path: "$")
        }
    }

    // MARK: Answers

    private func info(of name: ClockName) -> ClockInfo {
        let state = shop.clock(name) ?? .real
        var info = ClockInfo(name: name.own, mode: state.mode, now: shop.now(on: name))
        if case .running(_, _, let speed) = state { info.speed = Int(speed) }
        info.advance = shop.advanceUnderWay(on: name).map { AdvanceProgressInfo($0) }
        return info
    }

    private func listUpcomingEvents(_ call: ControlCall<ListUpcomingEvents>) async throws -> UpcomingEventList {
        let name = ClockName(try call.scope(), own: call.clock)
        try check(name)
        let due = try await shop.storage.dueAccounts(
            on: name,
            until: Timestamp(milliseconds: .max),
            in: nil,
            limit: call.limit ?? 20
        )
        var events: [UpcomingEventInfo] = []
        for entry in due {
            let account = try await shop.storage.storedAccount(entry.id)?.account
            events.append(UpcomingEventInfo(entry, account.flatMap { shop.upcomingEvents(to: $0) }))
        }
        return UpcomingEventList(events: events, nextAttemptDate: try await shop.nextDelivery(on: name))
    }
}

extension ClockState {
    fileprivate var mode: ClockMode {
        switch self {
        case .real: .real
        case .frozen: .frozen
        case .running: .running
        }
    }
}

extension AdvanceProgressInfo {
    fileprivate init(_ progress: AdvanceProgress) {
        self.init(
            from: progress.from,
            to: progress.to,
            accounts: progress.accounts,
            notifications: progress.notifications
        )
    }
}

extension AdvanceReportInfo {
    init(_ report: AdvanceReport) {
        self.init(
            from: report.from,
            to: report.to,
            accounts: report.accounts,
            notifications: report.notifications.map {
                NotificationCountInfo(type: $0.notice.type, subtype: $0.notice.subtype, count: $0.count)
            },
            quarantined: report.quarantine
        )
    }
}

extension UpcomingEventInfo {
    init(_ due: DueAccount, _ event: UpcomingEvent?) {
        self.init(
            date: due.due,
            customer: due.customer,
            event: event?.kind,
            transactionId: event?.transaction.wireForm
        )
    }
}
