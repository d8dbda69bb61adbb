import ArgumentParser
import TillControl
import TillCore
import TillJSON

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

        @Option(help: "The speed as a multiple of real time (default 1).")
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
