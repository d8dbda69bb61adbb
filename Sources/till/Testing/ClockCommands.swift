import ArgumentParser
import Foundation
import NIOCore
import TillCore
import TillJSON
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
            let client = try options.server.rawClient()
            let answer = try await client.get(try await options.path(client))
            Output.show(answer, asJSON: options.server.json, ClockCommand.words)
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
            let at = instant.map { JSONTree.number(String($0.instant.milliseconds)) }
            try await options.set(.members(["mode": .string("frozen"), "at": at]))
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
            let at = JSONTree.number(String(instant.instant.milliseconds))
            try await options.set(.members(["mode": .string("frozen"), "at": at]))
        }
    }

    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Advances a clock, and processes every event that is due before the new time.",
            discussion: """
                till clock advance 1mo
                till clock advance 36h --settle
                till clock advance 2027-03-01
                till clock advance next

                Durations: 90s, 30m, 36h, 1d, 2w, 1mo, 1y, or ISO 8601: P1M, PT36H.
                """
        )

        @Argument(help: "A duration, a time, or next (the next scheduled event).")
        var target: String
        @Flag(help: "Waits until every due notification is delivered, for a minute at most.")
        var settle = false
        @OptionGroup var options: ClockOptions

        func validate() throws {
            guard target == "next" || TimeExpression(target) != nil else {
                throw ValidationError("\(target) is not a time. Give next, or \(TimeExpression.examples).")
            }
        }

        func run() async throws {
            let client = try options.server.rawClient()
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
            let notifications = (report["notifications"]?.elements ?? []).map {
                ([$0["type"]?.text, $0["subtype"]?.text].compactMap(\.self).joined(separator: "/"), $0["count"]?.text)
            }
            let quarantined = (report["quarantined"]?.elements ?? []).compactMap(\.text)
            let lines = [
                "\(instant(report["from"])) → \(instant(report["to"]))",
                "accounts with events: \(report["accounts"]?.text ?? "0")",
                notifications.isEmpty ? "No notifications." : ActionSummary.table(notifications),
                report["pending"]?.text.map {
                    $0 == "0" ? "No due deliveries are left." : "Due deliveries not made: \($0)."
                },
                quarantined.isEmpty ? nil : "Quarantined, see the server's log: \(quarantined.joined(separator: ", "))",
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
            try await options.set(.members(["mode": .string("running"), "speed": .count(speed)]))
        }
    }

    struct Real: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a clock to real time. Fails if the clock is ahead of real time.",
            discussion: "till clock real"
        )

        @OptionGroup var options: ClockOptions

        func run() async throws { try await options.set(.members(["mode": .string("real")])) }
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
            let client = try server.rawClient()
            let instant = at.map { JSONTree.number(String($0.instant.milliseconds)) }
            let body = JSONTree.members(["name": .string(name), "at": instant])
            let answer = try await client.post("\(try await scope.path(client))/clocks", body)
            Output.show(answer, asJSON: server.json) {
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
            try await server.showRaw { client in
                try await client.get("\(try await scope.path(client))/clocks")
            } as: { answer in
                let lines = (answer["clocks"]?.elements ?? []).map(ClockCommand.words)
                return lines.isEmpty
                    ? "No customer clocks. All customers use the environment's clock."
                    : lines.joined(separator: "\n")
            }
        }
    }

    static func words(_ clock: JSONTree) -> String {
        let name = clock["name"]?.text.map { "\($0): " } ?? ""
        let mode = clock["mode"]?.text ?? ""
        let speed = clock["speed"]?.text.map { ", speed \($0)× real time" } ?? ""
        return "\(name)\(instant(clock["now"]))  \(mode)\(speed)"
    }

    static func instant(_ tree: JSONTree?) -> String {
        guard let milliseconds = tree?.text.flatMap({ Int64($0) }) else { return "" }
        return Timestamp(milliseconds: milliseconds).iso8601
    }
}

/// The option with which a command selects a clock.
struct ClockOptions: ParsableArguments {
    @Option(help: "The name of a customer clock (default: the clock of the app's environment).")
    var clock: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

    func path(_ client: RawControlClient) async throws -> String {
        "\(try await scope.path(client))/" + (clock.map { "clocks/\(escaped($0))" } ?? "clock")
    }

    /// Sets the clock and prints its new state. If the new time is later, this is an advance, which can take long.
    func set(_ body: JSONTree) async throws {
        let client = try server.rawClient()
        let path = try await path(client)
        let watch = Task { await AdvanceWatch.run(client, path) }
        defer { watch.cancel() }
        let answer = try await client.put(path, bytes: body.written(), timeout: .hours(24))
        watch.cancel()
        await watch.value
        Output.show(answer, asJSON: server.json, ClockCommand.words)
    }
}

/// Prints the progress of a long advance to standard error.
enum AdvanceWatch {
    static func run(_ client: RawControlClient, _ path: String) async {
        // Progress is printed only to a terminal.
        guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return }
        var hasSpoken = false
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            guard !Task.isCancelled, let pendingAdvance = try? await client.get("\(path)/advance") else { continue }
            guard pendingAdvance["isUnderWay"]?.text == "true" else { continue }
            let line =
                "advancing to \(ClockCommand.instant(pendingAdvance["to"])): "
                + "\(pendingAdvance["accounts"]?.text ?? "0") accounts, "
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
            let client = try server.rawClient()
            let path = "\(try await scope.path(client))/customers/\(escaped(customer))/clock"
            let answer = try await client.put(path, bytes: JSONTree.members(["clock": .text(clock)]).written())
            Output.show(answer, asJSON: server.json) { _ in
                clock.map { "\(customer) uses the clock \($0)." }
                    ?? "\(customer) uses the clock of the environment."
            }
        }
    }
}
