import TillCore

/// The law over seeds: a life is the same life however time passes in it.
package enum Simulation {
    /// How often time stops on its way from one act to the next.
    package enum Pace: Sendable {
        /// Never.
        case advances
        /// Once a day.
        case days
        /// Once an hour for sixty days, and never before and after.
        case sixtyDaysOfHours
    }

    /// What came of a seed.
    package struct Verdict: Sendable {
        /// Gives the same verdict again.
        package let seed: UInt64
        /// What was wrong: the seed first; nil when nothing was.
        package let failure: String?
        /// What the life went through.
        package let count: TransitionCount
    }

    /// Lives a life of the rules alone in three ways, and compares them.
    ///
    /// - Parameter rule: what subscriptions become in the first of them.
    package static func judge(
        seed: UInt64,
        rule: @escaping Transitions.Rule = Transitions.steps
    ) async -> Verdict {
        let workload = WorkloadGenerator.workload(of: seed)
        var days = SimulationRun(of: workload, in: CoreUnderTest(for: workload, rule: rule), isWatched: true)
        await days.run(at: .days)
        // Two deadlines at a time, so that the parts of a long way are told apart from the whole.
        let steps = seed.isMultiple(of: 2) ? Int.max : 2
        var advances = SimulationRun(
            of: workload,
            in: CoreUnderTest(for: workload, passing: .familyByFamily(steps: steps))
        )
        await advances.run(at: .advances)
        var hours = SimulationRun(of: workload, in: CoreUnderTest(for: workload, passing: .asItFallsDue))
        await hours.run(at: .sixtyDaysOfHours)
        var failure = days.failure
        if failure == nil { failure = await advances.difference(from: days, "in leaps and day by day", isExact: true) }
        if failure == nil {
            failure = await advances.difference(from: hours, "in leaps and hour by hour", isExact: true)
        }
        return Verdict(seed: seed, failure: failure.map { "seed \(seed): \($0)" }, count: days.count)
    }

    /// Lives a life in two worlds of one kind, in advances and at another pace, and compares them.
    ///
    /// - Parameter world: makes a new world of the life at its start.
    package static func judge<Place: SystemUnderTest>(
        seed: UInt64,
        at pace: Pace,
        in world: (Workload) async throws -> Place
    ) async throws -> Verdict {
        let workload = WorkloadGenerator.workload(of: seed)
        var steps = SimulationRun(of: workload, in: try await world(workload), isWatched: true)
        await steps.run(at: pace)
        var advances = SimulationRun(of: workload, in: try await world(workload))
        await advances.run(at: .advances)
        var failure = steps.failure
        if failure == nil {
            failure = await advances.difference(from: steps, "in leaps and step by step", isExact: false)
        }
        return Verdict(seed: seed, failure: failure.map { "seed \(seed): \($0)" }, count: steps.count)
    }
}

/// One way through a life.
package struct SimulationRun<Place: SystemUnderTest>: Sendable {
    private let workload: Workload
    private var world: Place
    private let isWatched: Bool
    private var now: Timestamp
    private var told = 0
    /// When the world was looked at last.
    private var watched: Timestamp
    private var laws = NotificationLaws()
    private var acts: [(act: Workload.Act, operation: Operation, refusal: Refusal?)] = []
    /// What the life went through, if it was watched.
    package private(set) var count = TransitionCount()
    /// What broke on the way, and the acts up to it.
    package private(set) var failure: String?

    /// - Parameter isWatched: whether what is always true is checked on the way, and the transitions are counted.
    package init(of workload: Workload, in world: Place, isWatched: Bool = false) {
        self.workload = workload
        self.world = world
        self.isWatched = isWatched
        now = workload.start
        watched = workload.start
    }

    /// Lives the life to its end.
    package mutating func run(at pace: Simulation.Pace) async {
        do {
            for act in workload.acts {
                try await pass(to: act.instant, at: pace)
                let everybody = pace != .advances || act.operation.concernsEverybody
                let name = workload.customers[act.customer].name
                try await world.advance(to: act.instant, for: everybody ? nil : name)
                try await watch(after: nil)
                try await perform(act, by: name)
                guard failure == nil else { return }
            }
            try await pass(to: workload.end, at: pace)
            try await world.advance(to: workload.end, for: nil)
            try await watch(after: nil, deeply: true)
        } catch {
            failure = report("the world broke: \(error)")
        }
    }

    private mutating func perform(_ act: Workload.Act, by name: String) async throws {
        let before = try await world.observe()
        guard var reader = RandomOperationReader(act, by: name, in: before) else { return }
        let operation = reader.operation()
        let refusal = try await world.perform(operation)
        acts.append((act, operation, refusal))
        if case .earlierThanLastEvent? = refusal { failure = report("an act came before what had happened") }
        count.count(operation, isRefused: refusal != nil)
        if isWatched, case .job(let job) = operation, case .extend(let wanted) = job.task {
            let new = try await world.observe().notifications.dropFirst(before.notifications.count)
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
            try await world.advance(to: stop, for: nil)
            stop = stop.advanced(milliseconds: step)
        }
        now = instant
    }

    private mutating func watch(after operation: Operation?, deeply: Bool = false) async throws {
        guard isWatched, failure == nil else { return }
        let observation = try await world.observe()
        count.count(observation.notifications.dropFirst(told), after: operation)
        laws.read(observation.notifications.dropFirst(told))
        for late in observation.notifications.dropFirst(told) where late.date < watched {
            let what = "\(late.words) of \(late.transaction.id.number)"
            failure = report("\(what) is dated \(late.date.iso8601), and came about after \(watched.iso8601)")
        }
        watched = observation.now
        told = observation.notifications.count
        count.note(observation)
        let isDeep = deeply || acts.count.isMultiple(of: 16)
        laws.compare(with: observation, deeply: isDeep)
        let broken = laws.takeFindings() + Invariants.findings(in: observation, deeply: isDeep)
        guard !broken.isEmpty else { return }
        failure = report("at \(observation.now.iso8601): " + broken.joined(separator: "\n  "))
    }

    // MARK: What differs

    /// The first difference from another way through the same life; nil when there is none.
    func difference(from other: SimulationRun, _ ways: String, isExact: Bool) async -> String? {
        if let failure { return failure }
        if let failure = other.failure { return failure }
        for (mine, theirs) in zip(acts, other.acts)
        where mine.refusal?.name != theirs.refusal?.name || mine.operation.name != theirs.operation.name {
            let answers = "\(mine.operation.name): \(mine.refusal?.name ?? "done"), \(theirs.operation.name): "
            return report("\(ways), an act differs: \(answers)\(theirs.refusal?.name ?? "done")", to: mine.act.instant)
        }
        do {
            let mine = NormalizedState(of: try await world.observe(), try await world.attempts(), isExact: isExact)
            let others = try await other.world.attempts()
            let theirs = NormalizedState(of: try await other.world.observe(), others, isExact: isExact)
            return mine.difference(from: theirs).map { report("\(ways), \($0)") }
        } catch {
            return report("the world broke: \(error)")
        }
    }

    private func report(_ what: String, to instant: Timestamp? = nil) -> String {
        let limit = instant ?? workload.end
        let lines = acts.filter { $0.act.instant <= limit }.map { act, operation, refusal in
            "  \(act.instant.iso8601) +\(act.instant.milliseconds % 1_000) \(workload.customers[act.customer].name): "
                + "\(act.operation) = \(operation.text)" + (refusal.map { " refused: \($0.name)" } ?? "")
        }
        let world =
            "\(workload.environment), \(workload.policy.rate.name), grace \(workload.policy.grace.map { "\($0)" } ?? "none")"
        return "\(what)\n  in \(world), from \(workload.start.iso8601) to \(workload.end.iso8601); the acts:\n"
            + lines.joined(separator: "\n")
    }
}

extension Refusal {
    /// The name of the case: what it is about may have other ids.
    fileprivate var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}

extension Operation {
    /// What kind of deed it is, without ids.
    fileprivate var name: String {
        switch self {
        case .command(let command, let customer): "\(customer) \(CommandKind(command).rawValue)"
        case .sell(let product, _): "sell \(product.id)"
        case .job(let job): "job \(CommandKind(job).rawValue)"
        case .grace(let grace): "grace \(grace?.days ?? 0)"
        case .nothing: "nothing"
        }
    }

    /// What exactly is done.
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
