import ArgumentParser
import Foundation
import TillControl
import TillCore
import TillShop

extension ClockCommand {
    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Advances a clock, and processes every event that is due before the new time.",
            examples: """
                till clock advance 1mo
                till clock advance 36h --settle 10
                till clock advance 2027-03-01
                till clock advance next
                """,
            notes: "Durations: 90s, 30m, 36h, 1d, 2w, 1mo, 1y, or ISO 8601: P1M, PT36H. Subscription periods are "
                + "counted in Pacific time, so that in UTC a period can end an hour earlier or later in the day."
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
            let shop = try await options.connect()
            var request = AdvanceClock(app: shop.app, clock: options.clock)
            request.settle = settle
            switch TimeExpression(target) {
            case .instant(let instant)?: request.to = instant
            case .period?, .milliseconds?: request.by = target
            case nil: request.toNextEvent = true
            }
            let report = try await AdvanceWatch.during(shop, options.clock) { [request] in
                try await shop.client.send(request, timeout: AdvanceWatch.maxTime)
            }
            try options.server.show(report, as: Self.words)
        }

        private static func words(_ report: AdvanceReportInfo) -> String {
            let notifications = report.notifications.map {
                (Notice($0.type, $0.subtype).words, Optional(String($0.count)))
            }
            let lines = [
                "\(report.from.iso8601) → \(report.to.iso8601)".bold,
                "accounts with events: \(report.accounts)",
                notifications.isEmpty ? "No notifications." : Table.values(notifications),
                SettledSummary.text(report),
                report.quarantined.isEmpty
                    ? nil : "Quarantined, see the server's log: \(report.quarantined.joined(separator: ", "))",
            ]
            return lines.compactMap(\.self).joined(separator: "\n")
        }
    }
}

/// Prints the progress of a long advance on a terminal.
enum AdvanceWatch {
    static let maxTime = Duration.seconds(24 * 3_600)

    /// Prints the progress of a clock while a request runs.
    ///
    /// - Parameter clock: the name of the customer clock; nil for the environment's clock.
    static func during<Answer>(
        _ shop: AppClient,
        _ clock: String?,
        _ request: () async throws -> Answer
    ) async throws -> Answer {
        let watch = Task { await run(shop, clock) }
        defer { watch.cancel() }
        let answer = try await request()
        watch.cancel()
        await watch.value
        return answer
    }

    private static func run(_ shop: AppClient, _ clock: String?) async {
        guard Terminal.showsProgress else { return }
        var hasSpoken = false
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            let request = GetClock(app: shop.app, clock: clock)
            guard !Task.isCancelled, let progress = try? await shop.client.send(request).advance else { continue }
            let counts = "\(progress.accounts) accounts, \(progress.notifications) notifications"
            Terminal.say("\radvancing to \(progress.to.iso8601): \(counts)")
            hasSpoken = true
        }
        if hasSpoken { Terminal.say("\n") }
    }
}
