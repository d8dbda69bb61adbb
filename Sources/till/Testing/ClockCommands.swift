import ArgumentParser
import TillControl
import TillCore
import TillJSON
import TillShop

struct ClockCommand: DocumentedCommand {
    static let summary = "Shows, advances, freezes and runs the clock of an app's environment, or a customer clock."
    static let examples = """
        # the current time and mode
        till clock
        # processes every event that is due until then
        till clock advance 1mo
        # to the next scheduled event
        till clock advance next
        """
    static let notes =
        "A clock never goes back. To try something else, create another clock with till clock create, and "
        + "assign it with till customer update."
    static var subcommands: Subcommands {
        [Create.self, List.self, Show.self, Delete.self, Advance.self, Freeze.self, Run.self, Real.self]
    }
    static var defaultSubcommand: (any ParsableCommand.Type)? { Show.self }

    struct Create: SendingCommand {
        static let summary = "Creates a frozen customer clock."
        static let examples = "till clock create trial --at 2026-01-31"

        @Argument(help: "The clock's name.")
        var name: String
        @Option(help: "The time that the clock shows (default: the time of the environment's clock).")
        var at: Timestamp?
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> CreateClock { CreateClock(app: shop.app, name: name, at: at) }

        func text(_ clock: ClockInfo) -> String {
            "\(clock.text)\nAssign it to a customer: till customer update CUSTOMER --clock \(name)"
        }
    }

    struct List: SendingCommand {
        static let summary = "Lists customer clocks."
        static let examples = "till clock list"

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListClocks { ListClocks(app: shop.app) }
    }

    struct Show: SendingCommand {
        static let summary = "Shows the time and mode of a clock."
        static let examples = "till clock show --clock trial"

        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> GetClock { GetClock(app: shop.app, clock: options.clock) }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes a customer clock that no customer uses."
        static let examples = "till clock delete trial --yes"

        @Argument(help: "The clock's name.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: EnvironmentOptions

        var deleted: JSONTree { .string(name) }

        func request(_ shop: AppClient) -> any ControlRequest { DeleteClock(app: shop.app, clock: name) }

        func loss(_ shop: AppClient) -> String { "Delete the clock \(name)" }
    }

    struct Advance: AdvancingCommand {
        static let summary = "Advances a clock, and processes every event that is due before the new time."
        static let examples = """
            till clock advance 1mo
            till clock advance 36h --settle 10
            till clock advance 2027-03-01
            till clock advance next
            """
        static let notes =
            "Durations: 90s, 30m, 36h, 1d, 2w, 1mo, 1y, or ISO 8601: P1M, PT36H. Subscription periods are "
            + "counted in Pacific time, so that in UTC a period can end an hour earlier or later in the day."

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

        func request(_ shop: AppClient) -> AdvanceClock {
            var request = AdvanceClock(app: shop.app, clock: options.clock).settling(settle)
            switch TimeExpression(target) {
            case .instant(let instant)?: request.to = instant
            case .period?, .milliseconds?: request.by = target
            case nil: request.toNextEvent = true
            }
            return request
        }

        func text(_ report: AdvanceReportInfo) -> String {
            let counts = report.notifications.map { (Notice($0.type, $0.subtype).words, Optional("\($0.count)")) }
            return [
                "\(report.from.iso8601) → \(report.to.iso8601)".bold, "accounts with events: \(report.accounts)",
                counts.isEmpty ? "No notifications." : Table.values(counts),
            ].joined(separator: "\n")
        }

        func warning(_ report: AdvanceReportInfo) -> String? {
            let customers = report.quarantined.joined(separator: ", ")
            return customers.isEmpty ? nil : "Quarantined, see the server's log: \(customers)"
        }
    }

    struct Freeze: AdvancingCommand {
        static let summary = "Freezes a clock, at its current time or at a later time."
        static let examples = """
            till clock freeze
            till clock freeze 2027-01-31T09:00:00Z
            """

        @Argument(help: "A later time. Events that are due until then are processed.")
        var instant: Timestamp?
        @Option(help: "How many seconds to wait at most, 0 to 60, until the notifications are delivered.")
        var settle: Int?
        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock {
            SetClock(app: shop.app, clock: options.clock, mode: .frozen, at: instant).settling(settle)
        }
    }

    struct Run: AdvancingCommand {
        static let summary = "Runs a clock at a speed."
        static let examples = """
            # one real minute is one hour
            till clock run --speed 60
            """

        @Option(help: "The speed as a multiple of real time (default: 1).")
        var speed: Int = 1
        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock {
            SetClock(app: shop.app, clock: options.clock, mode: .running, speed: speed)
        }
    }

    struct Real: AdvancingCommand {
        static let summary = "Sets a clock to real time. Fails if the clock is ahead of real time."
        static let examples = "till clock real"

        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock { SetClock(app: shop.app, clock: options.clock, mode: .real) }
    }
}

/// A command that moves a clock, which can take long. On a terminal it prints its progress.
protocol AdvancingCommand: SendingCommand where Options == ClockOptions {}

extension AdvancingCommand {
    var timeout: Duration { .seconds(24 * 3_600) }

    func answer(_ shop: AppClient) async throws -> Request.Answer {
        let progress = Task { [clock = options.clock] in await showProgress(of: clock, shop) }
        defer { progress.cancel() }
        let answer = try await send(shop)
        progress.cancel()
        await progress.value
        return answer
    }
}

/// The option with which a command selects a clock.
struct ClockOptions: EnvironmentConnecting {
    @Option(help: "The name of a customer clock (default: the clock of the app's environment).")
    var clock: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions
}

extension AnsweringCommand where Answer == ClockInfo {
    func text(_ clock: ClockInfo) -> String { clock.text }
}

extension ClockInfo: TableRow {
    static let headings = ["CLOCK", "TIME", "MODE", "SPEED"]
    static let empty = "No customer clocks. All customers use the environment's clock."
    var cells: [String?] { [name, now.iso8601, mode.rawValue, speed.map { "\($0)×" }] }

    /// `trial: 2026-01-31T00:00:00Z  frozen`.
    fileprivate var text: String {
        let name = name.map { "\($0): " } ?? ""
        let speed = speed.map { ", speed \($0)× real time" } ?? ""
        return "\(name)\(now.iso8601)  \(mode.rawValue)\(speed)"
    }
}

/// Prints on a terminal how far the advance of a clock is, until the task is cancelled.
private func showProgress(of clock: String?, _ shop: AppClient) async {
    guard Terminal.showsProgress else { return }
    var line = ProgressLine()
    defer { line.end() }
    while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(500))
        let request = GetClock(app: shop.app, clock: clock)
        guard !Task.isCancelled, let progress = try? await shop.client.send(request).advance else { continue }
        let counts = "\(progress.accounts) accounts, \(progress.notifications) notifications"
        line.show("advancing to \(progress.to.iso8601): \(counts)")
    }
}
