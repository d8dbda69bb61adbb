import Testing
import TillCore

/// Uses numbers that only a manual edit can leave in a database. The results may be wrong, but must not crash the
/// server.
@Suite("Stored numbers of any size cause no crash")
struct StoredNumberTests {
    private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 253_402_300_799_999, .max - 1, .max]

    @Test("A period of any length from any instant causes no crash", arguments: extremes)
    func periods(_ number: Int64) {
        let start = Timestamp(milliseconds: number)
        for unit in [Period.Unit.day, .week, .month, .year] {
            for count in [Int.min, -1_000_000, 0, 1, 999, 999_000, .max] {
                let period = Period(count, unit)
                _ = period.end(from: start)
                _ = period.end(from: start, anchorDay: 31)
                _ = period.end(from: start, anchorDay: 31, anchorTime: number)
                _ = period.end(from: start, anchorTime: 9_000_000)
                _ = period.times(count).months
                #expect(period.isAsLong(as: period.times(2)) == (count == 0) || count.magnitude > 1_000_000)
                for rate in RenewalRate.allCases {
                    _ = rate.end(of: period, from: start, anchorDay: nil)
                    _ = rate.endOfGrace(days: count, period: period, from: start)
                    _ = rate.endOfRetry(days: count, from: start)
                    _ = rate.adding(days: count, to: start)
                }
            }
        }
        _ = Period.anchorDay(of: Period(1, .day).end(from: start))
        #expect((0..<86_400_000).contains(PeriodAnchor(day: 1, time: number).resumed(at: start).time))
        #expect((0..<86_400_000).contains(PeriodAnchor(day: 1, time: 9_000_000).resumed(at: start).time))
    }

    @Test("A clock with any number as its time causes no crash", arguments: extremes)
    func clocks(_ number: Int64) {
        for other in Self.extremes {
            for speed in [-Double.infinity, -1, 0, 1, .greatestFiniteMagnitude, .infinity, .nan] {
                let state = ClockState.running(
                    from: Timestamp(milliseconds: number),
                    since: Timestamp(milliseconds: other),
                    speed: speed
                )
                _ = state.now(realTime: Timestamp(milliseconds: number)).iso8601
            }
        }
    }

    @Test("An order with any number has an id of ten characters", arguments: extremes)
    func orders(_ number: Int64) {
        #expect(OrderID(number).wireForm.utf8.count == 10)
    }

    @Test("The unused part of the longest period that an import accepts causes no crash")
    func refund() throws {
        let longest = Timestamp(milliseconds: 253_402_300_799_999)
        let start = Timestamp(milliseconds: 0)
        var account = Account(
            id: AccountID(704_000_000_000_000_001),
            environment: .sandbox,
            app: "com.example",
            customer: "ann",
            storefront: .unitedStates,
            at: start
        )
        account.rowCount = 1
        let id = TransactionID(2_000_000_000_001_025)
        let row = Transaction(
            id: id,
            originalID: id,
            account: account.id,
            change: 1,
            lineItem: nil,
            order: nil,
            productID: "pro",
            groupID: "group",
            type: .autoRenewable,
            purchaseDate: start,
            originalPurchaseDate: start,
            expiresDate: longest,
            quantity: 1,
            appAccountToken: nil,
            ownership: .purchased,
            reason: .purchase,
            storefront: .unitedStates,
            price: nil,
            offer: nil,
            isUpgraded: false,
            revocation: nil,
            refundNumber: nil,
            isFinished: false,
            sharedFrom: nil,
            modifiedDate: start
        )
        var ledger = Ledger(
            accounts: [account],
            transactions: [row],
            catalog: Catalog(),
            policy: Policy(for: .sandbox),
            identifiers: Identifiers(reserved: 1..<100),
            at: Timestamp(milliseconds: longest.milliseconds / 4)
        )
        try ledger.perform(.refund(Refund(transaction: id, share: .unused)), by: account.id)
        #expect(ledger.transactionChanges.last?.after.revocation?.percentage == 75_000)
    }
}
