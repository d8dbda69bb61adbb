import ArgumentParser
import TillControl
import TillCore
import TillShop

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Shows, advances, freezes and runs the clock of an app's environment, or a customer clock.",
        name: "clock",
        examples: """
            # the current time and mode
            till clock
            # processes every event that is due until then
            till clock advance 1mo
            # to the next scheduled event
            till clock advance next
            """,
        notes: "A clock never goes back. To try something else, create another clock with till clock create, and "
            + "assign it with till customer update.",
        subcommands: [
            Create.self, List.self, Show.self, Delete.self, Advance.self, Freeze.self, Run.self, Real.self,
        ],
        default: Show.self
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Creates a frozen customer clock.",
            examples: "till clock create trial --at 2026-01-31"
        )

        @Argument(help: "The clock's name.")
        var name: String
        @Option(help: "The time that the clock shows (default: the time of the environment's clock).")
        var at: WrittenInstant?
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> CreateClock { CreateClock(app: shop.app, name: name, at: at?.instant) }

        func text(_ clock: ClockInfo) -> String {
            "\(ClockCommand.words(clock))\nAssign it to a customer: till customer update CUSTOMER --clock \(name)"
        }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration("Lists customer clocks.", examples: "till clock list")

        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListClocks { ListClocks(app: shop.app) }

        func text(_ clocks: [ClockInfo]) -> String {
            Table.list(
                ["CLOCK", "TIME", "MODE", "SPEED"],
                clocks.map { [$0.name, $0.now.iso8601, $0.mode.rawValue, $0.speed.map { "\($0)×" }] },
                empty: "No customer clocks. All customers use the environment's clock."
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows the time and mode of a clock.",
            examples: "till clock show --clock trial"
        )

        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> GetClock { GetClock(app: shop.app, clock: options.clock) }

        func text(_ clock: ClockInfo) -> String { ClockCommand.words(clock) }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes a customer clock that no customer uses.",
            examples: "till clock delete trial --yes"
        )

        @Argument(help: "The clock's name.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: EnvironmentOptions

        var deleted: String { name }

        func request(_ shop: AppClient) -> DeleteClock { DeleteClock(app: shop.app, clock: name) }

        func loss(_ shop: AppClient) -> String { "Delete the clock \(name)" }

        func heading(_ answer: NoAnswer) -> String? { "Deleted \(name)." }
    }

    struct Freeze: ClockSetting {
        static let configuration = CommandConfiguration(
            "Freezes a clock, at its current time or at a later time.",
            examples: """
                till clock freeze
                till clock freeze 2027-01-31T09:00:00Z
                """
        )

        @Argument(help: "A later time. Events that are due until then are processed.")
        var instant: WrittenInstant?
        @Option(help: "How many seconds to wait at most, 0 to 60, until the notifications are delivered.")
        var settle: Int?
        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock {
            var request = SetClock(app: shop.app, clock: options.clock, mode: .frozen, at: instant?.instant)
            request.settle = settle
            return request
        }
    }

    struct Run: ClockSetting {
        static let configuration = CommandConfiguration(
            "Runs a clock at a speed.",
            examples: """
                # one real minute is one hour
                till clock run --speed 60
                """
        )

        @Option(help: "The speed as a multiple of real time (default 1).")
        var speed: Int = 1
        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock {
            SetClock(app: shop.app, clock: options.clock, mode: .running, speed: speed)
        }
    }

    struct Real: ClockSetting {
        static let configuration = CommandConfiguration(
            "Sets a clock to real time. Fails if the clock is ahead of real time.",
            examples: "till clock real"
        )

        @OptionGroup var options: ClockOptions

        func request(_ shop: AppClient) -> SetClock { SetClock(app: shop.app, clock: options.clock, mode: .real) }
    }

    static func words(_ clock: ClockInfo) -> String {
        let name = clock.name.map { "\($0): " } ?? ""
        let speed = clock.speed.map { ", speed \($0)× real time" } ?? ""
        return "\(name)\(clock.now.iso8601)  \(clock.mode.rawValue)\(speed)"
    }
}

/// The option with which a command selects a clock.
struct ClockOptions: Connecting {
    @Option(help: "The name of a customer clock (default: the clock of the app's environment).")
    var clock: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func connect() async throws -> AppClient { try await scope.connect(to: try server.client()) }
}

/// A command that sets a clock. If the new time is later, this is an advance, which can take long.
protocol ClockSetting: SendingCommand where Options == ClockOptions, Request == SetClock {}

extension ClockSetting {
    func run() async throws {
        let shop = try await options.connect()
        let request = try await request(shop)
        let answer = try await AdvanceWatch.during(shop, options.clock) {
            try await shop.client.send(request, timeout: AdvanceWatch.maxTime)
        }
        try options.server.show(answer) { clock in
            [ClockCommand.words(clock), SettledSummary.text(clock)].compactMap(\.self).joined(separator: "\n")
        }
    }
}
