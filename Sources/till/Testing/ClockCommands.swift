import ArgumentParser
import Foundation
import TillControl
import TillCore
import TillShop

struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows, freezes, runs and advances the clock of an app's environment, or a customer clock.",
        discussion: """
            till clock                        the current time and mode
            till clock advance 1mo            processes every event that is due until then
            till clock advance next           to the next scheduled event
            till clock freeze
            till clock run --speed 60
            till clock real

            A clock never goes back. To try something else, create another clock and assign it to a customer:
            till clock create trial && till customer clock ann trial && till clock advance 1y --clock trial
            """,
        subcommands: [
            Show.self, Freeze.self, Set.self, Advance.self, Run.self, Real.self, Create.self, List.self,
        ],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the time and mode of a clock.",
            discussion: "till clock show --clock trial"
        )

        @OptionGroup var options: ClockOptions

        func run() async throws {
            let server = try await options.connect()
            let answer = try await server.client.send(GetClock(app: server.app, clock: options.clock))
            try options.server.show(answer, as: ClockCommand.words)
        }
    }

    struct Freeze: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Freezes a clock, at its current time or at a later time.",
            discussion: """
                till clock freeze
                till clock freeze 2027-01-31T09:00:00Z
                """
        )

        @Argument(help: "A later time. Events that are due until then are processed.")
        var instant: WrittenInstant?
        @OptionGroup var options: ClockOptions

        func run() async throws {
            try await options.set(.frozen, at: instant?.instant)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Freezes a clock at a later time. Events that are due until then are processed.",
            discussion: "till clock set 2027-01-31"
        )

        @Argument(help: "A later time.")
        var instant: WrittenInstant
        @OptionGroup var options: ClockOptions

        func run() async throws {
            try await options.set(.frozen, at: instant.instant)
        }
    }

    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Advances a clock, and processes every event that is due before the new time.",
            discussion: """
                till clock advance 1mo
                till clock advance 36h --settle 10
                till clock advance 2027-03-01
                till clock advance next

                Durations: 90s, 30m, 36h, 1d, 2w, 1mo, 1y, or ISO 8601: P1M, PT36H.
                """
        )

        @Argument(help: "A duration, a time, or next (the next scheduled event).")
        var target: String
        @Option(help: "How many seconds to wait at most, 0 to 60, until the notifications are delivered.")
        var settle: Int?
        @OptionGroup var options: ClockOptions

        func validate() throws {
            guard target == "next" || TimeExpression(target) != nil else {
                throw ValidationError("\(target) is not a time. Give next, or \(TimeExpression.examples).")
            }
        }

        func run() async throws {
            let server = try await options.connect()
            let (by, to, toNextEvent) = goal
            let request = AdvanceClock(
                app: server.app,
                clock: options.clock,
                by: by,
                to: to,
                toNextEvent: toNextEvent
            ).settling(settle)
            let report = try await AdvanceWatch.during(server, options.clock) {
                try await server.client.send(request, timeout: AdvanceWatch.maxTime)
            }
            try options.server.show(report, as: Self.words)
        }

        private var goal: (by: String?, to: Timestamp?, toNextEvent: Bool?) {
            switch TimeExpression(target) {
            case .instant(let instant)?: (nil, instant, nil)
            case .period?, .milliseconds?: (target, nil, nil)
            case nil: (nil, nil, true)
            }
        }

        private static func words(_ report: AdvanceReportInfo) -> String {
            let notifications = report.notifications.map {
                (Notice($0.type, $0.subtype).words, Optional(String($0.count)))
            }
            let lines = [
                "\(report.from.iso8601) → \(report.to.iso8601)",
                "accounts with events: \(report.accounts)",
                notifications.isEmpty ? "No notifications." : ActionSummary.table(notifications),
                report.settled.map { "delivered: \($0.delivered), pending: \($0.pending)" },
                report.quarantined.isEmpty
                    ? nil : "Quarantined, see the server's log: \(report.quarantined.joined(separator: ", "))",
            ]
            return lines.compactMap(\.self).joined(separator: "\n")
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Runs a clock at a speed.",
            discussion: "till clock run --speed 60          one real minute is one hour"
        )

        @Option(help: "The speed as a multiple of real time (default 1).")
        var speed: Int = 1
        @OptionGroup var options: ClockOptions

        func run() async throws {
            try await options.set(.running, speed: speed)
        }
    }

    struct Real: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a clock to real time. Fails if the clock is ahead of real time.",
            discussion: "till clock real"
        )

        @OptionGroup var options: ClockOptions

        func run() async throws { try await options.set(.real) }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a frozen customer clock.",
            discussion: "till clock create trial --at 2026-01-31"
        )

        @Argument(help: "The clock's name.")
        var name: String
        @Option(help: "The time that the clock shows (default: the time of the environment's clock).")
        var at: WrittenInstant?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                CreateClock(app: $0.app, name: name, at: at?.instant)
            } as: {
                "\(ClockCommand.words($0))\nAssign it to a customer: till customer clock CUSTOMER \(name)"
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists customer clocks.",
            discussion: "till clock list"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                ListClocks(app: $0.app)
            } as: { clocks in
                let lines = clocks.map(ClockCommand.words)
                return lines.isEmpty
                    ? "No customer clocks. All customers use the environment's clock."
                    : lines.joined(separator: "\n")
            }
        }
    }

    static func words(_ clock: ClockInfo) -> String {
        let name = clock.name.map { "\($0): " } ?? ""
        let speed = clock.speed.map { ", speed \($0)× real time" } ?? ""
        return "\(name)\(clock.now.iso8601)  \(clock.mode.rawValue)\(speed)"
    }
}

/// The option with which a command selects a clock.
struct ClockOptions: ParsableArguments {
    @Option(help: "The name of a customer clock (default: the clock of the app's environment).")
    var clock: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func connect() async throws -> AppClient { try await scope.connect(to: try server.client()) }

    /// Sets the clock and prints its new state. If the new time is later, this is an advance, which can take long.
    func set(_ mode: ClockMode, at: Timestamp? = nil, speed: Int? = nil) async throws {
        let server = try await connect()
        let request = SetClock(app: server.app, clock: clock, mode: mode, at: at, speed: speed)
        let answer = try await AdvanceWatch.during(server, clock) {
            try await server.client.send(request, timeout: AdvanceWatch.maxTime)
        }
        try self.server.show(answer, as: ClockCommand.words)
    }
}

/// Prints the progress of a long advance to standard error.
enum AdvanceWatch {
    static let maxTime = Duration.seconds(24 * 3_600)

    /// Prints the progress of a clock while a request runs.
    ///
    /// - Parameter clock: the name of the customer clock; nil for the environment's clock.
    static func during<Answer>(
        _ server: AppClient,
        _ clock: String?,
        _ request: () async throws -> Answer
    ) async throws -> Answer {
        let watch = Task { await run(server, clock) }
        defer { watch.cancel() }
        let answer = try await request()
        watch.cancel()
        await watch.value
        return answer
    }

    private static func run(_ server: AppClient, _ clock: String?) async {
        // Progress is printed only to a terminal.
        guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return }
        var hasSpoken = false
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            let request = GetClock(app: server.app, clock: clock)
            guard !Task.isCancelled, let progress = try? await server.client.send(request).advance else { continue }
            let line =
                "advancing to \(progress.to.iso8601): \(progress.accounts) accounts, "
                + "\(progress.notifications) notifications"
            FileHandle.standardError.write(Data("\r\(line)".utf8))
            hasSpoken = true
        }
        if hasSpoken { FileHandle.standardError.write(Data("\n".utf8)) }
    }
}

extension CustomerCommand {
    struct Clock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Assigns a customer clock, or the environment's clock, to a customer and the customer's family.",
            discussion: """
                till customer clock ann trial
                till customer clock ann --none
                """
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The name of the customer clock.")
        var clock: String?
        @Flag(help: "Assigns the clock of the app's environment.")
        var none = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard none != (clock != nil) else { throw ValidationError("Give a clock, or --none.") }
        }

        func run() async throws {
            try await server.show(in: scope) {
                UpdateCustomer(app: $0.app, customer: customer, clock: clock ?? "")
            } as: { _ in
                clock.map { "\(customer) uses the clock \($0)." }
                    ?? "\(customer) uses the clock of the environment."
            }
        }
    }
}
