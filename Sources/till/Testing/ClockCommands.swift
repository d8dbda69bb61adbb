import ArgumentParser
import Foundation
import NIOCore
import TillCore
import TillShop

struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows, freezes and moves the clock of an app's environment, or one of a customer's own.",
        discussion: """
            till clock                        what it shows
            till clock advance 1mo            all that falls due on the way happens
            till clock advance next           to the next thing that happens by itself
            till clock freeze
            till clock run --speed 60
            till clock real

            A clock never goes back. To try something else, create another and put customers on it:
            till clock create trial && till customer clock ann trial && till clock advance 1y --clock trial
            """,
        subcommands: [
            Show.self, Freeze.self, Set.self, Advance.self, Run.self, Real.self, Create.self, List.self,
        ],
        defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what a clock shows, and how it goes.",
            discussion: "till clock show --clock trial"
        )

        @OptionGroup var options: ClockOptions

        func run() async throws {
            let client = try options.server.client()
            let answer = try await client.get(try await options.path(client))
            Output.show(answer, asJSON: options.server.json, ClockCommand.words)
        }
    }

    struct Freeze: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a clock stand still, where it is or at a later instant.",
            discussion: """
                till clock freeze
                till clock freeze 2027-01-31T09:00:00Z
                """
        )

        @Argument(help: "A later instant; what falls due until then happens.")
        var instant: WrittenInstant?
        @OptionGroup var options: ClockOptions

        func run() async throws {
            let at = instant.map { JSONTree.number(String($0.instant.milliseconds)) }
            try await options.set(.members(["mode": .string("frozen"), "at": at]))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a clock stand still at a later instant; what falls due until then happens.",
            discussion: "till clock set 2027-01-31"
        )

        @Argument(help: "A later instant.")
        var instant: WrittenInstant
        @OptionGroup var options: ClockOptions

        func run() async throws {
            let at = JSONTree.number(String(instant.instant.milliseconds))
            try await options.set(.members(["mode": .string("frozen"), "at": at]))
        }
    }

    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a clock leap, and all happen that falls due on the way.",
            discussion: """
                till clock advance 1mo
                till clock advance 36h --settle
                till clock advance 2027-03-01
                till clock advance next

                Lengths are 90s, 30m, 36h, 1d, 2w, 1mo, 1y, or as in ISO 8601: P1M, PT36H.
                """
        )

        @Argument(help: "A length of time, an instant, or next.")
        var target: String
        @Flag(help: "Waits, a minute at the most, until nothing that is due is left to deliver.")
        var settle = false
        @OptionGroup var options: ClockOptions

        func validate() throws {
            guard target == "next" || TimeExpression(target) != nil else {
                throw ValidationError("\(target) is no time; give next, or \(TimeExpression.examples).")
            }
        }

        func run() async throws {
            let client = try options.server.client()
            let path = try await options.path(client)
            let watch = Task { await AdvanceWatch.run(client, path) }
            defer { watch.cancel() }
            let report = try await client.post("\(path)/advance", body, timeout: .hours(24))
            watch.cancel()
            await watch.value
            Output.show(report, asJSON: options.server.json, Self.words)
        }

        private var body: JSONTree {
            let settling: JSONTree? = settle ? .bool(true) : nil
            switch TimeExpression(target) {
            case .instant(let instant)?:
                return .members(["to": .number(String(instant.milliseconds)), "settle": settling])
            case .period?, .milliseconds?: return .members(["by": .string(target), "settle": settling])
            case nil: return .members(["toNextEvent": .bool(true), "settle": settling])
            }
        }

        private static func words(_ report: JSONTree) -> String {
            let told = (report["notifications"]?.elements ?? []).map {
                ($0["notice"]?.text ?? "", $0["count"]?.text)
            }
            let aside = (report["setAside"]?.elements ?? []).compactMap(\.text)
            let lines = [
                "\(instant(report["from"])) → \(instant(report["to"]))",
                "accounts in which something happened: \(report["accounts"]?.text ?? "0")",
                told.isEmpty ? "Nobody was told anything." : Tale.table(told),
                report["owed"]?.text.map {
                    $0 == "0" ? "Nothing that is due is left to deliver." : "\($0) deliveries are due and not made."
                },
                aside.isEmpty ? nil : "Set aside, see the server's log: \(aside.joined(separator: ", "))",
            ]
            return lines.compactMap(\.self).joined(separator: "\n")
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Lets a clock run on, at a speed.",
            discussion: "till clock run --speed 60          a minute is an hour"
        )

        @Option(help: "How many times as fast as the wall's.")
        var speed: Int = 1
        @OptionGroup var options: ClockOptions

        func run() async throws {
            try await options.set(.members(["mode": .string("running"), "speed": .count(speed)]))
        }
    }

    struct Real: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a clock show what the wall's shows, unless it is ahead.",
            discussion: "till clock real"
        )

        @OptionGroup var options: ClockOptions

        func run() async throws { try await options.set(.members(["mode": .string("real")])) }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a clock on which single customers can live; it stands still.",
            discussion: "till clock create trial --at 2026-01-31"
        )

        @Argument(help: "Its name.")
        var name: String
        @Option(help: "Where it stands (default: where the environment's clock is).")
        var at: WrittenInstant?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            let instant = at.map { JSONTree.number(String($0.instant.milliseconds)) }
            let body = JSONTree.members(["name": .string(name), "at": instant])
            let answer = try await client.post("\(try await scope.path(client))/clocks", body)
            Output.show(answer, asJSON: server.json) {
                "\(ClockCommand.words($0))\nPut a customer on it: till customer clock CUSTOMER \(name)"
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the clocks of customers' own.",
            discussion: "till clock list"
        )

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.get("\(try await scope.path(client))/clocks")
            } as: { answer in
                let lines = (answer["clocks"]?.elements ?? []).map(ClockCommand.words)
                return lines.isEmpty
                    ? "All customers live by the clock of the environment." : lines.joined(separator: "\n")
            }
        }
    }

    static func words(_ clock: JSONTree) -> String {
        let name = clock["name"]?.text.map { "\($0): " } ?? ""
        let mode = clock["mode"]?.text ?? ""
        let speed = clock["speed"]?.text.map { ", \($0) times as fast as the wall's" } ?? ""
        return "\(name)\(instant(clock["now"]))  \(mode)\(speed)"
    }

    static func instant(_ tree: JSONTree?) -> String {
        guard let milliseconds = tree?.text.flatMap({ Int64($0) }) else { return "" }
        return Timestamp(milliseconds: milliseconds).iso8601
    }
}

/// Which clock a command is about.
struct ClockOptions: ParsableArguments {
    @Option(help: "A clock of customers' own (default: that of the app's environment).")
    var clock: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func path(_ client: ControlClient) async throws -> String {
        "\(try await scope.path(client))/" + (clock.map { "clocks/\(escaped($0))" } ?? "clock")
    }

    /// Sets the clock and shows it. Setting it ahead is an advance, which may take its time.
    func set(_ body: JSONTree) async throws {
        let client = try server.client()
        let path = try await path(client)
        let watch = Task { await AdvanceWatch.run(client, path) }
        defer { watch.cancel() }
        let answer = try await client.put(path, bytes: body.written(), timeout: .hours(24))
        watch.cancel()
        await watch.value
        Output.show(answer, asJSON: server.json, ClockCommand.words)
    }
}

/// Tells on standard error how far an advance has come, when it takes long.
enum AdvanceWatch {
    static func run(_ client: ControlClient, _ path: String) async {
        // Only for somebody who looks on.
        guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return }
        var hasSpoken = false
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            guard !Task.isCancelled, let pendingAdvance = try? await client.get("\(path)/leap") else { continue }
            guard pendingAdvance["isUnderWay"]?.text == "true" else { continue }
            let line =
                "leaping to \(ClockCommand.instant(pendingAdvance["to"])): \(pendingAdvance["accounts"]?.text ?? "0") accounts, "
                + "\(pendingAdvance["notifications"]?.text ?? "0") notifications"
            FileHandle.standardError.write(Data("\r\(line)".utf8))
            hasSpoken = true
        }
        if hasSpoken { FileHandle.standardError.write(Data("\n".utf8)) }
    }
}

extension CustomerCommand {
    struct Clock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts a customer and the family on a clock of their own, or back on that of the environment.",
            discussion: """
                till customer clock ann trial
                till customer clock ann --none
                """
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The clock's name.")
        var clock: String?
        @Flag(help: "Back on the clock of the app's environment.")
        var none = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard none != (clock != nil) else { throw ValidationError("Name a clock, or give --none.") }
        }

        func run() async throws {
            let client = try server.client()
            let path = "\(try await scope.path(client))/customers/\(escaped(customer))/clock"
            let answer = try await client.put(path, bytes: JSONTree.members(["clock": .text(clock)]).written())
            Output.show(answer, asJSON: server.json) { _ in
                clock.map { "\(customer) lives by the clock \($0)." }
                    ?? "\(customer) lives by the clock of the environment."
            }
        }
    }
}
