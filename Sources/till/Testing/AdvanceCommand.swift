import ArgumentParser
import TillControl
import TillCore
import TillShop

extension ClockCommand {
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

/// Prints on a terminal how far the advance of a clock is, until the task is cancelled.
private func showProgress(of clock: String?, _ shop: AppClient) async {
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
