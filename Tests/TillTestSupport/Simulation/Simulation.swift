import TillCore

/// Checks for many seeds that the result of a workload does not depend on how its time passes.
package enum Simulation {
    /// How often the clock stops between two operations.
    package enum Pace: Sendable {
        /// The clock never stops.
        case advances
        /// The clock stops once a day.
        case days
        /// The clock stops every hour during sixty days, and never before and after them.
        case sixtyDaysOfHours
    }

    /// The result of the workload of one seed.
    package struct Verdict: Sendable {
        /// The seed, with which this result can be reproduced.
        package let seed: UInt64
        /// The failure, as a text that begins with the seed; nil if there is none.
        package let failure: String?
        /// The transitions that occurred in the run.
        package let count: TransitionCount
    }

    /// Runs a workload three times on the rules of TillCore alone: with daily, single and hourly advances. Compares the
    /// results.
    ///
    /// - Parameter rule: The transition rule of the run with daily advances.
    package static func judge(
        seed: UInt64,
        rule: @escaping Transitions.Rule = Transitions.steps
    ) async -> Verdict {
        let workload = WorkloadGenerator.workload(of: seed)
        var days = SimulationRun(of: workload, in: CoreUnderTest(for: workload, rule: rule), isWatched: true)
        await days.run(at: .days)
        // For odd seeds, an advance is processed in parts of two deadlines, and its result must be the same.
        let steps = seed.isMultiple(of: 2) ? Int.max : 2
        var advances = SimulationRun(
            of: workload,
            in: CoreUnderTest(for: workload, passing: .familyByFamily(steps: steps))
        )
        await advances.run(at: .advances)
        var hours = SimulationRun(of: workload, in: CoreUnderTest(for: workload, passing: .asItFallsDue))
        await hours.run(at: .sixtyDaysOfHours)
        var failure = days.failure
        if failure == nil {
            failure = await advances.difference(from: days, "single advances against daily advances", isExact: true)
        }
        if failure == nil {
            failure = await advances.difference(from: hours, "single advances against hourly advances", isExact: true)
        }
        return Verdict(seed: seed, failure: failure.map { "seed \(seed): \($0)" }, count: days.count)
    }

    /// Runs a workload on two systems of the same kind, one in single advances and one at another pace, and compares
    /// the results.
    ///
    /// - Parameter system: Creates a new system under test, as it is at the start of a workload.
    package static func judge<System: SystemUnderTest>(
        seed: UInt64,
        at pace: Pace,
        in system: (Workload) async throws -> System
    ) async throws -> Verdict {
        let workload = WorkloadGenerator.workload(of: seed)
        var steps = SimulationRun(of: workload, in: try await system(workload), isWatched: true)
        await steps.run(at: pace)
        var advances = SimulationRun(of: workload, in: try await system(workload))
        await advances.run(at: .advances)
        var failure = steps.failure
        if failure == nil {
            failure = await advances.difference(from: steps, "single advances against steps", isExact: false)
        }
        return Verdict(seed: seed, failure: failure.map { "seed \(seed): \($0)" }, count: steps.count)
    }
}

/// One run of a workload on one system.
package struct SimulationRun<System: SystemUnderTest>: Sendable {
    private let workload: Workload
    /// The system in which the workload runs.
    package private(set) var system: System
    private let isWatched: Bool
    private var now: Timestamp
    private var seenNotifications = 0
    /// The time at which the state was last checked.
    private var watched: Timestamp
    private var laws = NotificationLaws()
    private var operations: [(scheduled: Workload.ScheduledOperation, operation: Operation, refusal: Refusal?)] = []
    /// The transitions that occurred in the run; empty if the run was not watched.
    package private(set) var count = TransitionCount()
    /// The first failure, with the operations before it.
    package private(set) var failure: String?

    /// - Parameter isWatched: Whether the invariants are checked and the transitions are counted during the run.
    package init(of workload: Workload, in system: System, isWatched: Bool = false) {
        self.workload = workload
        self.system = system
        self.isWatched = isWatched
        now = workload.start
        watched = workload.start
    }

    /// Runs the workload to its end.
    package mutating func run(at pace: Simulation.Pace) async {
        do {
            for scheduled in workload.operations {
                try await pass(to: scheduled.instant, at: pace)
                let isForAll = pace != .advances || scheduled.operation.concernsEverybody
                let name = workload.customers[scheduled.customer].name
                try await system.advance(to: scheduled.instant, for: isForAll ? nil : name)
                try await watch(after: nil)
                try await perform(scheduled, by: name)
                guard failure == nil else { return }
            }
            try await pass(to: workload.end, at: pace)
            try await system.advance(to: workload.end, for: nil)
            try await watch(after: nil, deeply: true)
        } catch {
            failure = report("the system failed: \(error)")
        }
    }

    private mutating func perform(_ scheduled: Workload.ScheduledOperation, by name: String) async throws {
        let before = try await system.observe()
        guard var reader = RandomOperationReader(scheduled, by: name, in: before) else { return }
        let operation = reader.operation()
        let refusal = try await system.perform(operation)
        operations.append((scheduled, operation, refusal))
        if case .earlierThanLastEvent? = refusal { failure = report("an operation was dated before the last event") }
        count.count(operation, isRefused: refusal != nil)
        if isWatched, case .job(let job) = operation, case .extend(let wanted) = job.task {
            let new = try await system.observe().notifications.dropFirst(before.notifications.count)
            laws.check(wanted, before: before, new)
        }
        try await watch(after: operation)
    }

    private mutating func pass(to instant: Timestamp, at pace: Simulation.Pace) async throws {
        let hours = pace == .sixtyDaysOfHours
        guard pace != .advances else { return }
        let step = hours ? workload.day / 24 : workload.day
        let first =
            hours
            ? workload.start.advanced(milliseconds: Int64(workload.firstHourlyDay) * workload.day) : workload.start
        let last = hours ? min(instant, first.advanced(milliseconds: 60 * workload.day)) : instant
        let elapsed = max(0, now.milliseconds - first.milliseconds)
        var stop = first.advanced(milliseconds: (elapsed / step + 1) * step)
        while stop < last {
            try await system.advance(to: stop, for: nil)
            stop = stop.advanced(milliseconds: step)
        }
        now = instant
    }

    private mutating func watch(after operation: Operation?, deeply: Bool = false) async throws {
        guard isWatched, failure == nil else { return }
        let observation = try await system.observe()
        count.count(observation.notifications.dropFirst(seenNotifications), after: operation)
        laws.read(observation.notifications.dropFirst(seenNotifications))
        for late in observation.notifications.dropFirst(seenNotifications) where late.date < watched {
            let what = "\(late.words) of \(late.transaction.id.number)"
            failure = report("\(what) is dated \(late.date.iso8601), and was created after \(watched.iso8601)")
        }
        watched = observation.now
        seenNotifications = observation.notifications.count
        count.note(observation)
        let isDeep = deeply || operations.count.isMultiple(of: 16)
        laws.compare(with: observation, deeply: isDeep)
        let broken = laws.takeFindings() + Invariants.findings(in: observation, deeply: isDeep)
        guard !broken.isEmpty else { return }
        failure = report("at \(observation.now.iso8601): " + broken.joined(separator: "\n  "))
    }

    // MARK: Differences

    /// The first difference from another run of the same workload; nil if the results are equal.
    func difference(from other: SimulationRun, _ ways: String, isExact: Bool) async -> String? {
        if let failure { return failure }
        if let failure = other.failure { return failure }
        for (mine, theirs) in zip(operations, other.operations)
        where mine.refusal?.name != theirs.refusal?.name || mine.operation.name != theirs.operation.name {
            let answers = "\(mine.operation.name): \(mine.refusal?.name ?? "done"), \(theirs.operation.name): "
            return report(
                "\(ways): an operation differs: \(answers)\(theirs.refusal?.name ?? "done")",
                to: mine.scheduled.instant
            )
        }
        do {
            let mine = NormalizedState(of: try await system.observe(), try await system.attempts(), isExact: isExact)
            let others = try await other.system.attempts()
            let theirs = NormalizedState(of: try await other.system.observe(), others, isExact: isExact)
            return mine.difference(from: theirs).map { report("\(ways): \($0)") }
        } catch {
            return report("the system failed: \(error)")
        }
    }

    private func report(_ what: String, to instant: Timestamp? = nil) -> String {
        let limit = instant ?? workload.end
        let lines = operations.filter { $0.scheduled.instant <= limit }.map { scheduled, operation, refusal in
            "  \(scheduled.instant.iso8601) +\(scheduled.instant.milliseconds % 1_000) "
                + "\(workload.customers[scheduled.customer].name): "
                + "\(scheduled.operation) = \(operation.text)" + (refusal.map { " refused: \($0.name)" } ?? "")
        }
        let settings =
            "\(workload.environment), \(workload.policy.rate.rawValue), "
            + "grace \(workload.policy.grace.map { "\($0)" } ?? "none")"
        return "\(what)\n  in \(settings), from \(workload.start.iso8601) to \(workload.end.iso8601); operations:\n"
            + lines.joined(separator: "\n")
    }
}

extension Refusal {
    /// The name of the case. The associated values are left out, because ids may differ between two runs.
    fileprivate var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}

extension Operation {
    /// The kind of the operation, without ids.
    fileprivate var name: String {
        switch self {
        case .command(let command, let customer): "\(customer) \(CommandKind(command).rawValue)"
        case .sell(let product, _): "sell \(product.id)"
        case .job(let job): "job \(CommandKind(job).rawValue)"
        case .grace(let grace): "grace \(grace?.days ?? 0)"
        case .nothing: "nothing"
        }
    }

    /// The operation with all its values.
    fileprivate var text: String {
        switch self {
        case .command(.purchase(let purchase), _):
            "buy \(purchase.productID) \(purchase.offer) \(purchase.billingPlan?.rawValue ?? "")"
        case .command(let command, _): "\(command)"
        case .sell(let product, let job):
            "sell \(product.id), for sale \(product.isForSale), shared \(product.isFamilyShareable), "
                + "\(product.prices.standard.milliunits)" + (job.map { ", \($0.task)" } ?? "")
        case .job(let job): "\(job.task)"
        case .grace, .nothing: "\(self)"
        }
    }
}
