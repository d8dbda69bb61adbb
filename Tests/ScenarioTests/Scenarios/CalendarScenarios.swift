import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    /// Checks the dates of actual renewals. The tests of TillCore check the arithmetic alone.
    @Suite("Periods begin on the right dates")
    struct Calendars {}
}

extension Scenarios.Calendars {
    struct Dates: Sendable, CustomStringConvertible {
        var start: String
        var period: Period
        var keepsAnchor = true
        var renewals: [String]

        var description: String { "\(start), \(period.iso8601)\(keepsAnchor ? "" : ", drifting")" }
    }

    static let table = [
        Dates(
            start: "2025-01-31 18:30",
            period: .month,
            renewals: ["2025-02-28 18:30", "2025-03-31 17:30", "2025-04-30 17:30", "2025-05-31 17:30"]
        ),
        Dates(
            start: "2025-01-31 18:30",
            period: .month,
            keepsAnchor: false,
            renewals: ["2025-02-28 18:30", "2025-03-28 17:30", "2025-04-28 17:30"]
        ),
        Dates(start: "2025-10-15 09:00", period: .month, renewals: ["2025-11-15 10:00", "2025-12-15 10:00"]),
        Dates(
            start: "2024-02-29 20:00",
            period: .year,
            renewals: ["2025-02-28 20:00", "2026-02-28 20:00", "2027-02-28 20:00", "2028-02-29 20:00"]
        ),
        Dates(start: "2025-10-29 09:15", period: .week, renewals: ["2025-11-05 10:15"]),
        Dates(
            start: "2025-12-31 20:00",
            period: Period(2, .month),
            renewals: ["2026-02-28 20:00", "2026-04-30 19:00", "2026-06-30 19:00", "2026-08-31 19:00"]
        ),
        // The period begins at 02:30 Pacific time. This time does not exist on 8 March 2026 and on 10 March 2024.
        Dates(
            start: "2026-02-22 10:30",
            period: .week,
            renewals: ["2026-03-01 10:30", "2026-03-08 10:30", "2026-03-15 09:30", "2026-03-22 09:30"]
        ),
        Dates(
            start: "2026-02-08 10:30",
            period: .month,
            renewals: ["2026-03-08 10:30", "2026-04-08 09:30", "2026-05-08 09:30"]
        ),
        Dates(
            start: "2026-02-08 10:30",
            period: .month,
            keepsAnchor: false,
            renewals: ["2026-03-08 10:30", "2026-04-08 09:30", "2026-05-08 09:30"]
        ),
        Dates(
            start: "2023-03-10 10:30",
            period: .year,
            renewals: ["2024-03-10 10:30", "2025-03-10 09:30", "2026-03-10 09:30"]
        ),
        // The period begins at 01:30 Pacific time. This time occurs twice on 1 November 2026.
        Dates(
            start: "2026-10-18 08:30",
            period: .week,
            renewals: ["2026-10-25 08:30", "2026-11-01 08:30", "2026-11-08 09:30", "2026-11-15 09:30"]
        ),
        Dates(start: "2026-11-01 09:30", period: .month, renewals: ["2026-12-01 09:30", "2027-01-01 09:30"]),
    ]

    @Test("A subscription renews on the dates of the table", arguments: BackendKind.all, table)
    func dates(at backend: BackendKind, _ dates: Dates) async throws {
        let shop = try await Scenario(at: backend, on: dates.start, selling: [.plan(each: dates.period)]) {
            $0.keepsAnchorDay = dates.keepsAnchor
        }
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: try #require(dates.renewals.last))
        let renewals = try await shop.wire.received().filter { $0.type == "DID_RENEW" }
        #expect(renewals.map { $0.transaction.purchaseDate.iso8601 } == dates.renewals.map { Self.iso8601($0) })
        #expect(renewals.map { $0.signedDate.iso8601 } == dates.renewals.map { Self.iso8601($0) })
    }

    private static func iso8601(_ text: String) -> String {
        text.split(separator: " ").joined(separator: "T") + ":00Z"
    }

    @Test("A weekly grace period has six days across the change to daylight saving time", arguments: BackendKind.all)
    func grace(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2022-10-25 09:15:38",
            selling: [.plan(each: .week)],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2022-11-10 12:00")
        let received = try await shop.wire.received()
        #expect(received[1].renewalInfo?.gracePeriodExpiresDate?.iso8601 == "2022-11-07T10:15:38Z")
        #expect(received[2].signedDate.iso8601 == "2022-11-07T10:15:38Z")
    }

    // MARK: Accelerated renewal rates

    /// The lengths of periods, of grace periods and of billing retry at one renewal rate, in seconds.
    struct Rate: Sendable, CustomStringConvertible {
        var name: String
        var week: Int64
        var months: [Int: Int64]
        var weeklyGrace: Int64
        var grace: Int64
        var retry: Int64

        var description: String { name }
    }

    static let rates = [
        rate("sandbox-3-minutes", week: 180, month: 180, weeklyGrace: 154, grace: 90, retry: 360),
        rate("sandbox-5-minutes", week: 180, month: 300, weeklyGrace: 154, grace: 150, retry: 600),
        rate("sandbox-15-minutes", week: 300, month: 900, weeklyGrace: 257, grace: 450, retry: 1_800),
        rate("sandbox-30-minutes", week: 600, month: 1_800, weeklyGrace: 514, grace: 900, retry: 3_600),
        rate("sandbox-1-hour", week: 900, month: 3_600, weeklyGrace: 771, grace: 1_800, retry: 7_200),
        rate("xcode-10", week: 900, month: 3_600, weeklyGrace: 771, grace: 1_800, retry: 7_200),
        rate("xcode-11", week: 600, month: 1_800, weeklyGrace: 514, grace: 900, retry: 3_600),
        rate("xcode-12", week: 300, month: 900, weeklyGrace: 257, grace: 450, retry: 1_800),
        rate("xcode-13", week: 180, month: 300, weeklyGrace: 154, grace: 150, retry: 600),
        rate("xcode-15", week: 10, month: 30, weeklyGrace: 9, grace: 15, retry: 60),
        flat("xcode-1000", 900), flat("xcode-1001", 300), flat("xcode-1002", 60), flat("xcode-1003", 30),
        flat("xcode-1004", 10), flat("xcode-1005", 2),
        Rate(
            name: "testflight",
            week: 86_400,
            months: [1: 86_400, 2: 86_400, 3: 86_400, 6: 86_400, 12: 86_400],
            weeklyGrace: 86_400,
            grace: 86_400,
            retry: 172_800
        ),
    ]

    private static func rate(
        _ name: String,
        week: Int64,
        month: Int64,
        weeklyGrace: Int64,
        grace: Int64,
        retry: Int64
    ) -> Rate {
        let months = Dictionary(uniqueKeysWithValues: [1, 2, 3, 6, 12].map { ($0, Int64($0) * month) })
        return Rate(name: name, week: week, months: months, weeklyGrace: weeklyGrace, grace: grace, retry: retry)
    }

    private static func flat(_ name: String, _ each: Int64) -> Rate {
        Rate(
            name: name,
            week: each,
            months: [1: each, 2: each, 3: each, 6: each, 12: each],
            weeklyGrace: each,
            grace: each,
            retry: 2 * each
        )
    }

    @Test(
        "Each renewal rate has its own lengths of periods, grace periods and billing retry",
        arguments: BackendKind.all,
        rates
    )
    func accelerated(at backend: BackendKind, _ rate: Rate) async throws {
        let periods: [(Period, Int64, Int64)] =
            [(.week, rate.week, rate.weeklyGrace)]
            + rate.months.sorted { $0.key < $1.key }.map { count, seconds in
                (count == 12 ? .year : Period(count, .month), seconds, rate.grace)
            }
        for (period, length, grace) in periods {
            let shop = try await Scenario(
                at: backend,
                on: "2026-03-08 09:30",
                in: .production,
                selling: [.plan(each: period)],
                rate: try #require(RenewalRate(rawValue: rate.name)),
                grace: GracePeriod(days: 16)
            )
            try await shop.buy("pro", by: "ann")
            try await shop.declineCard(of: "ann")
            try await shop.advance(to: "2026-03-20")
            let start = shop.instant("2026-03-08 09:30")
            let received = try await shop.wire.received()
            let seconds = received.map { ($0.signedDate.wholeSecond.milliseconds - start.milliseconds) / 1_000 }
            let isGraceShorter = grace < rate.retry
            #expect(received.map(\.words).last == "EXPIRED BILLING_RETRY")
            #expect(seconds.first == 0 && seconds.dropFirst().first == length, "\(period.iso8601)")
            #expect(!isGraceShorter || seconds.dropFirst(2).first == length + grace, "\(period.iso8601)")
            #expect(seconds.last == length + rate.retry, "\(period.iso8601)")
        }
    }

    @Test(
        "At the sandbox renewal rate, a gap of more than ten minutes changes recentSubscriptionStartDate",
        arguments: BackendKind.all
    )
    func gap(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()], rate: .sandbox5Minutes)
        for customer in ["a", "b"] {
            try await shop.buy("pro", by: customer)
            try await shop.cancelRenewal(of: customer)
        }
        try await shop.advance(to: "2026-01-01 12:15")
        try await shop.buy("pro", by: "a")
        try await shop.cancelRenewal(of: "a")
        try await shop.advance(to: "2026-01-01 12:16")
        try await shop.buy("pro", by: "b")
        try await shop.cancelRenewal(of: "b")
        try await shop.advance(to: "2026-01-01 13:00")
        try await shop.expectNotifications(
            """
            2026-01-01        a  SUBSCRIBED INITIAL_BUY          status 1  paid until 12:05
            2026-01-01        a  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01        b  SUBSCRIBED INITIAL_BUY          status 1  paid until 12:05
            2026-01-01        b  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01 12:05  a  EXPIRED VOLUNTARY               status 2
            2026-01-01 12:05  b  EXPIRED VOLUNTARY               status 2
            2026-01-01 12:15  a  SUBSCRIBED RESUBSCRIBE          status 1  paid until 12:20
            2026-01-01 12:15  a  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01 12:16  b  SUBSCRIBED RESUBSCRIBE          status 1  paid until 12:21, since 12:16
            2026-01-01 12:16  b  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01 12:20  a  EXPIRED VOLUNTARY               status 2
            2026-01-01 12:21  b  EXPIRED VOLUNTARY               status 2
            """
        )
    }

    @Test("An accelerated renewal rate also shortens a trial of a week and of three days", arguments: BackendKind.all)
    func offers(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("week", group: "1", offers: .freeWeek),
                .plan("days", group: "2", offers: .free(.introductory, for: Period(3, .day))),
            ],
            rate: .sandbox5Minutes
        )
        try await shop.buy("week", by: "ann")
        try await shop.buy("days", by: "ann")
        try await shop.advance(to: "2026-01-01 12:04")
        try await shop.expectNotifications(
            """
            2026-01-01        SUBSCRIBED INITIAL_BUY  status 1  week, trial until 12:03
            2026-01-01        SUBSCRIBED INITIAL_BUY  status 1  days, trial until 12:02
            2026-01-01 12:02  DID_RENEW               status 1  days, paid until 12:07
            2026-01-01 12:03  DID_RENEW               status 1  week, paid until 12:08
            """
        )
    }
}
