import TillCore
import TillShop

/// One simulated year of a few customers of one shop, generated from a seed.
package struct Workload: Sendable {
    /// An operation, with the instant at which it is planned.
    package struct ScheduledOperation: Sendable {
        /// An instant during the workload. Half of all operations are planned at the time of day at which the workload
        /// starts.
        package var instant: Timestamp
        /// The customer, as an index of `customers`.
        package var customer: Int
        /// The kind of operation. Its subscription or transaction is picked when the instant has come.
        package var operation: RandomOperation
        /// Random bits that pick the subscription, product or offer.
        package var random: UInt64
    }

    /// The seed; the same seed gives the same workload.
    package let seed: UInt64
    /// The App Store environment: production or sandbox.
    package let environment: StoreEnvironment
    /// The policy at the start; operations may change the grace period.
    package let policy: Policy
    /// The names and storefronts of the customers. Their accounts are created in this order at the start.
    package let customers: [(name: String, storefront: Storefront)]
    /// The instant at which the workload starts.
    package let start: Timestamp
    /// The length of a simulated day in milliseconds. It is shorter at an accelerated renewal rate.
    package let day: Int64
    /// The length of the workload in simulated days.
    package let days: Int
    /// The first of the sixty days that a run can simulate hour by hour.
    package let firstHourlyDay: Int
    /// The planned operations, earliest first.
    package let operations: [ScheduledOperation]

    /// The instant at which the workload ends.
    package var end: Timestamp { start.advanced(milliseconds: Int64(days) * day) }
}

/// Generates a workload from a seed.
package struct WorkloadGenerator {
    private var random: SeededRandom
    private var operations: [Workload.ScheduledOperation] = []
    private var start = Timestamp(milliseconds: 0)
    private var day: Int64 = 86_400_000
    private var people = 0
    private static let days = 365

    private init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Generates the workload of a seed.
    package static func workload(of seed: UInt64) -> Workload {
        var maker = WorkloadGenerator(seed: seed)
        return maker.make(seed)
    }

    private mutating func make(_ seed: UInt64) -> Workload {
        let environment: StoreEnvironment = random.one(of: .production, .sandbox)
        let rate = chooseRate(in: environment)
        let policy = choosePolicy(for: environment, rate: rate)
        // At every renewal rate, a month has the length of thirty days of the workload.
        let month = rate.end(of: Period(1, .month), from: start, anchorDay: nil).milliseconds - start.milliseconds
        day = rate.isCalendar ? 86_400_000 : month / 30
        // Some workloads start on the last day of a month, some shortly before a change to or from daylight saving
        // time, and some not on a whole second.
        let dates: [Int64] = [1_767_225_600, 1_769_889_600, 1_772_913_600, 1_774_958_400, 1_793_520_000]
        start = Timestamp(seconds: random.pick(dates) ?? dates[0]).advanced(milliseconds: random.chance(30) ? 417 : 0)
        people = random.number(in: 1...4)
        let storefronts = [Storefront.unitedStates] + ["DEU", "JPN"].compactMap { Storefront(code: $0) }
        let customers = (0..<people).map { index in
            (name: ["ann", "bob", "cem", "dia"][index], storefront: random.pick(storefronts) ?? .unitedStates)
        }
        for customer in 0..<people { begin(customer) }
        for _ in 0..<random.number(in: 3...7) { episode() }
        for _ in 0..<random.number(in: 0...10) { singleOperation() }
        let ordered = operations.enumerated().sorted {
            ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
        }
        return Workload(
            seed: seed,
            environment: environment,
            policy: policy,
            customers: customers,
            start: start,
            day: day,
            days: Self.days,
            firstHourlyDay: random.number(in: 0...Self.days - 60),
            operations: ordered.map(\.element)
        )
    }

    private mutating func chooseRate(in environment: StoreEnvironment) -> RenewalRate {
        guard random.chance(environment == .sandbox ? 30 : 10) else { return .calendar }
        let rates: [RenewalRate] = [
            .sandbox3Minutes, .sandbox5Minutes, .sandbox1Hour, .testFlight, .xcode2, .xcode1003,
        ]
        return random.pick(rates) ?? .calendar
    }

    private mutating func choosePolicy(for environment: StoreEnvironment, rate: RenewalRate) -> Policy {
        var policy = Policy(for: environment, tokenChangeMovesHistory: random.chance(50), rate: rate)
        if random.chance(65) {
            let days = random.pick(GracePeriod.lengths) ?? 16
            policy.grace = GracePeriod(days: days, coverage: random.one(of: .allRenewals, .paidToPaidOnly))
        }
        policy.refundRule = random.pick(RefundRule.allCases) ?? .followPreference
        if !rate.isCalendar {
            policy.refundWindow = 60_000
            if random.chance(50) { policy.renewalCap = 12 }
        }
        // No server setting limits the number of renewals in production, but the rules of TillCore support a limit
        // there, too.
        if policy.renewalLead > 0, random.chance(20) { policy.renewalCap = 3 }
        policy.keepsAnchorDay = random.chance(80)
        policy.keepsGraceDate = random.chance(50)
        policy.commitmentsEverywhere = random.chance(80)
        if random.chance(20) { policy.storefrontsAskingConsent = ["DEU"] }
        return policy
    }

    // MARK: Episodes

    private mutating func begin(_ customer: Int) {
        let first = random.number(in: 0...60)
        if random.chance(20) { schedule(customer, .download, on: first) }
        schedule(customer, .subscribe, on: first)
        if customer > 0, random.chance(50) { schedule(customer, .join, on: random.number(in: 0...90)) }
        if random.chance(30) { schedule(customer, .buyOnce, on: random.number(in: 0...200)) }
    }

    /// Plans operations that belong together, so that rare sequences happen often enough.
    private mutating func episode() {
        let customer = random.number(in: 0...people - 1)
        let first = random.number(in: 5...300)
        switch random.number(in: 0...15) {
        case 0, 1, 2: billingProblem(customer, from: first)
        case 12, 13: retryOperations(customer, from: first)
        case 3: cancelled(customer, from: first)
        case 4, 14: priceIncrease(customer, from: first)
        case 5: removed(customer, from: first)
        case 6: refunded(customer, from: first)
        case 7: refundRequest(customer, from: first)
        case 8: family(customer, from: first)
        case 9: extended(customer, from: first)
        case 10: changed(customer, from: first)
        case 11: held(customer, from: first)
        default: committed(customer, from: first)
        }
    }

    private mutating func billingProblem(_ customer: Int, from first: Int) {
        schedule(customer, .useCard(random.chance(80) ? .declinedForRenewals : .declined), on: first)
        let later = first + (random.chance(50) ? random.number(in: 5...100) : random.number(in: 10...45))
        switch random.number(in: 0...9) {
        case 0, 1, 2: schedule(customer, .useCard(.accepted), on: later)
        case 3, 8: schedule(customer, .cancel, on: later)
        case 4: schedule(customer, .buySameAgain, on: later)
        case 5: schedule(customer, .changePlan, on: later)
        case 6, 7: schedule(customer, .refundLatest, on: later)
        default: break
        }
        if random.chance(60) { schedule(customer, .useCard(.accepted), on: later + random.number(in: 1...90)) }
    }

    /// Plans operations during billing retry or after expiration. Independent random operations seldom fall into these
    /// times.
    private mutating func retryOperations(_ customer: Int, from first: Int) {
        schedule(
            customer,
            random.one(of: .useCard(.declinedForRenewals), .useCard(.declinedForRenewals), .cancel),
            on: first
        )
        let operations: [RandomOperation] = [
            .resume, .share(true), .share(false), .refundOlder, .reverseRefund, .raisePrice,
        ]
        for step in 0..<random.number(in: 4...16) {
            let day = first + 4 * step
            schedule(customer, random.pick(operations) ?? .resume, on: day + random.number(in: 0...3))
            guard random.chance(30) else { continue }
            schedule(customer, .refundOlder, on: day)
            schedule(customer, .reverseRefund, on: day + random.number(in: 1...3))
        }
        if random.chance(30) { for step in 0...20 { schedule(customer, .giveUp, on: first + 10 + 2 * step) } }
        if random.chance(50) {
            schedule(customer, random.one(of: .buySameAgain, .refundLatest), on: first + random.number(in: 20...50))
        }
        if random.chance(60) { schedule(customer, .useCard(.accepted), on: first + random.number(in: 30...90)) }
    }

    private mutating func cancelled(_ customer: Int, from first: Int) {
        schedule(customer, .cancel, on: first)
        if random.chance(40) { schedule(customer, .resume, on: first + random.number(in: 0...20)) }
        if random.chance(30) { schedule(customer, .cancel, on: first + random.number(in: 10...40)) }
        let back = first + random.number(in: 20...150)
        schedule(
            customer,
            random.one(of: .subscribeAgain, .comeBackWithOffer, .buySameAgain, .comeBackWithOffer),
            on: back
        )
    }

    private mutating func priceIncrease(_ customer: Int, from first: Int) {
        schedule(customer, .raisePrice, on: first)
        let answer = first + random.number(in: 1...60)
        switch random.number(in: 0...4) {
        case 0, 1, 3: for step in 0...20 { schedule(customer, .acceptPriceIncrease, on: answer + step * 4) }
        case 2: schedule(customer, .cancel, on: answer)
        default: break
        }
        if random.chance(20) { schedule(customer, .raisePrice, on: first + random.number(in: 10...60)) }
    }

    private mutating func removed(_ customer: Int, from first: Int) {
        schedule(customer, .removeFromSale, on: first)
        if random.chance(50) { schedule(customer, .useCard(.declinedForRenewals), on: first - 5) }
        if random.chance(40) { schedule(customer, .useCard(.accepted), on: first + random.number(in: 1...60)) }
        if random.chance(70) { schedule(customer, .returnToSale, on: first + random.number(in: 5...90)) }
        if random.chance(50) { schedule(customer, .subscribeAgain, on: first + random.number(in: 40...120)) }
    }

    private mutating func refunded(_ customer: Int, from first: Int) {
        schedule(customer, random.one(of: .refundLatest, .refundLatest, .refundOlder, .refundAnything), on: first)
        let later = first + random.number(in: 0...60)
        if random.chance(60) { schedule(customer, .reverseRefund, on: later) }
        if random.chance(50) { schedule(customer, random.one(of: .subscribeAgain, .buySameAgain), on: later) }
        if random.chance(20) { schedule(customer, .reverseRefund, on: later + random.number(in: 0...30)) }
    }

    private mutating func refundRequest(_ customer: Int, from first: Int) {
        if random.chance(50) { schedule(customer, .buyOnce, on: first) }
        schedule(customer, .requestRefund, on: first)
        if random.chance(60) { schedule(customer, .reportConsumption, on: first, hours: random.number(in: 0...20)) }
        if random.chance(50) { schedule(customer, .declineRefund, on: first + random.number(in: 0...3)) }
        if random.chance(30) { schedule(customer, .refundAnything, on: first + random.number(in: 0...3)) }
        if random.chance(40) { schedule(customer, .reverseRefund, on: first + random.number(in: 1...20)) }
    }

    private mutating func family(_ customer: Int, from first: Int) {
        schedule(customer, .join, on: first)
        schedule(customer, .subscribe, on: first + random.number(in: 0...10))
        if random.chance(40) { schedule(customer, .shareProduct, on: first + random.number(in: 0...60)) }
        if random.chance(40) { schedule(customer, .share(false), on: first + random.number(in: 5...80)) }
        if random.chance(30) { schedule(customer, .share(true), on: first + random.number(in: 20...120)) }
        if random.chance(40) { schedule(customer, .refundLatest, on: first + random.number(in: 5...120)) }
        if random.chance(30) { schedule(customer, .reverseRefund, on: first + random.number(in: 20...130)) }
        if random.chance(50) { schedule(customer, .leave, on: first + random.number(in: 5...200)) }
    }

    private mutating func extended(_ customer: Int, from first: Int) {
        // Extends on every day of a month, so that one extension is on the day before a renewal.
        if random.chance(15) { for day in 0...31 { schedule(customer, .extendEverybody, on: first + day) } }
        for _ in 0..<random.number(in: 1...3) {
            let operation: RandomOperation = random.one(of: .extend, .extend, .extendEverybody)
            schedule(customer, operation, on: first + random.number(in: 0...40))
        }
    }

    private mutating func changed(_ customer: Int, from first: Int) {
        for _ in 0..<random.number(in: 1...4) {
            let operation: RandomOperation = random.one(of: .changePlan, .changePlan, .changePlanWithOffer, .takeOffer)
            schedule(customer, operation, on: first + random.number(in: 0...60))
        }
        if random.chance(60) { schedule(customer, .withdrawPlanChange, on: first + random.number(in: 1...40)) }
    }

    private mutating func held(_ customer: Int, from first: Int) {
        schedule(customer, .askToBuy(true), on: first)
        schedule(customer, random.one(of: .buyOnce, .subscribeAgain, .changePlan), on: first)
        schedule(customer, .startPurchaseAndLeave, on: first + 1)
        schedule(customer, .decideHeldPurchase(approved: random.chance(70)), on: first + random.number(in: 0...20))
        schedule(customer, .decideHeldPurchase(approved: random.chance(70)), on: first + random.number(in: 1...20))
        schedule(customer, .askToBuy(false), on: first + random.number(in: 1...10))
    }

    private mutating func committed(_ customer: Int, from first: Int) {
        schedule(customer, .payMonthly, on: first / 4)
        if random.chance(40) { schedule(customer, .useCard(.declinedForRenewals), on: first) }
        if random.chance(40) { schedule(customer, .cancel, on: first + random.number(in: 0...90)) }
        if random.chance(40) { schedule(customer, .changePlan, on: first + random.number(in: 0...90)) }
        if random.chance(40) {
            schedule(customer, .cancel, on: first - 10)
            schedule(customer, .useCard(.declinedForRenewals), on: first)
            for step in 0...6 { schedule(customer, .resume, on: first + 30 + 5 * step) }
        }
        if random.chance(40) { schedule(customer, .useCard(.accepted), on: first + random.number(in: 1...100)) }
    }

    private mutating func singleOperation() {
        let operations: [RandomOperation] = [
            .finish, .setToken, .download, .processDue, .useClock, .nonsense, .nonsense, .lowerPrice, .changeGrace,
            .takeOffer,
            .buyOnce, .resume, .cancel, .subscribe, .share(true), .refundAnything, .acceptPriceIncrease, .payMonthly,
        ]
        schedule(
            random.number(in: 0...people - 1),
            random.pick(operations) ?? .processDue,
            on: random.number(in: 0...Self.days - 1)
        )
    }

    /// Plans half of all operations at the time of day of the start, so that they coincide with the ends of periods.
    private mutating func schedule(_ customer: Int, _ operation: RandomOperation, on date: Int, hours: Int? = nil) {
        var instant = start.advanced(milliseconds: Int64(max(0, date)) * day)
        if let hours {
            instant = instant.advanced(milliseconds: Int64(hours) * day / 24)
        } else if random.chance(50) {
            instant = instant.advanced(milliseconds: Int64(random.next() % UInt64(day)))
            if random.chance(50) { instant = instant.wholeSecond }
        }
        let end = start.advanced(milliseconds: Int64(Self.days) * day)
        guard instant >= start, instant < end else { return }
        operations.append(
            Workload.ScheduledOperation(
                instant: instant,
                customer: customer,
                operation: operation,
                random: random.next()
            )
        )
    }
}
