import DequeModule
import Synchronization
import TillCore
import TillStorage

/// The fault rules. They are kept in memory, because every call checks them. Random decisions depend only on a rule's
/// seed and a counter, so that the same calls in the same order get the same faults.
package final class FaultRules: Sendable {
    /// What a fault may hit: a call to the App Store Server API or verifyReceipt, or the delivery of a notification.
    package struct Target: Sendable {
        let environment: StoreEnvironment
        let app: String
        /// The name of the route; for a notification, the type and, if there is one, the subtype.
        let route: String
        let customer: String?
        /// For a notification, the attempt to deliver it, and the name of the endpoint.
        let attempt: NotificationAttempt?
        let endpoint: String?

        /// Creates a target for faults.
        package init(environment: StoreEnvironment, app: String, route: String, customer: String?) {
            (self.environment, self.app, self.route, self.customer) = (environment, app, route, customer)
            (attempt, endpoint) = (nil, nil)
        }

        /// Creates the target of an attempt to deliver a notification to an endpoint.
        init(_ delivery: Delivery, to endpoint: EndpointRecord) {
            environment = delivery.scope.environment
            app = delivery.scope.app
            route = delivery.type + (delivery.subtype.map { "/\($0)" } ?? "")
            customer = nil
            attempt = NotificationAttempt(notification: delivery.notification, number: delivery.attempts.count)
            self.endpoint = endpoint.name
        }
    }

    /// The attempts with one number to deliver a notification, to all its endpoints. A rule decides once for them.
    struct NotificationAttempt: Hashable, Sendable {
        let notification: NotificationID
        let number: Int
    }

    /// A rule and its counters.
    package struct Standing: Sendable {
        /// The rule.
        package var rule: FaultRule
        /// The number of matching calls or notifications since the server started.
        package var seen = 0
        /// The number of hits since the server started.
        package var struck = 0
        /// For a rate limit, the number of calls in the current hour, by app, environment and route.
        fileprivate var hours: [String: Hour] = [:]
        /// What was decided on the latest notifications: the milliseconds of a hit, or nil if there was none.
        fileprivate var decisions: [NotificationAttempt: Int?] = [:]
        /// The keys of `decisions`, oldest first.
        fileprivate var decided = Deque<NotificationAttempt>()

        /// Creates the counters of a rule, all zero.
        package init(rule: FaultRule) { self.rule = rule }
    }

    fileprivate struct Hour {
        var number: Int64
        var calls: Int
    }

    private let storage: any Storage
    private let wallClock: @Sendable () -> Timestamp
    /// Recent writes, which the fault rule `staleReads` hides from reads.
    package let recentRows: RecentRows
    private let standings: Mutex<[Standing]>
    /// The highest number that any rule ever had. Numbers are not reused, because a rule in a snapshot keeps its id.
    private let highest: Mutex<Int>

    init(storage: any Storage, wallClock: @escaping @Sendable () -> Timestamp) async throws {
        self.storage = storage
        self.wallClock = wallClock
        recentRows = RecentRows(wallClock: wallClock)
        let read = try await Self.read(storage)
        let noted = try await storage.documents(.shop).first { $0.name == Self.highestName }.flatMap { Int($0.body) }
        standings = Mutex(read)
        highest = Mutex(max(noted ?? 0, Self.highest(of: read)))
    }

    /// Reloads the rules from the store.
    ///
    /// Unchanged rules keep their counters, except those of replaced data, which start again at zero. If data was
    /// replaced, no write counts as recent.
    ///
    /// - Parameter replaced: what was replaced; nothing if another node has only added or removed some rules.
    func reload(_ replaced: ReplacedData) async throws {
        let read = try await Self.read(storage)
        standings.withLock { standings in
            let before = standings.filter { standing in
                switch replaced {
                case .nothing: true
                case .app(let app): standing.rule.app != app
                case .everything: false
                }
            }
            standings = read.map { new in before.first { $0.rule == new.rule } ?? new }
        }
        highest.withLock { $0 = max($0, Self.highest(of: read)) }
        if replaced != .nothing { recentRows.clear() }
    }

    private static let highestName = "faults"

    private static func highest(of standings: [Standing]) -> Int { standings.map { number($0.rule.id) }.max() ?? 0 }

    private static func read(_ storage: any Storage) async throws -> [Standing] {
        let rules = try await storage.documents(.fault).map { try $0.decoded(as: FaultRule.self) }
        return rules.sorted { number($0.id) < number($1.id) }.map { Standing(rule: $0) }
    }

    // MARK: Configuration

    /// All rules, in the order of their creation.
    package var all: [Standing] { standings.withLock { $0 } }

    /// The maximum number of rules.
    package static let limit = 100

    /// Stores a rule under a new id.
    ///
    /// - Returns: nil if there are too many rules.
    package func add(_ rule: FaultRule) async throws -> FaultRule? {
        let made: FaultRule? = standings.withLock { standings in
            guard standings.count < Self.limit else { return nil }
            var made = rule
            made.id = "f\(nextNumber())"
            standings.append(Standing(rule: made))
            return made
        }
        guard let made else { return nil }
        do {
            let number = Document(kind: .shop, name: Self.highestName, body: String(Self.number(made.id)))
            try await storage.put([try Document(kind: .fault, name: made.id, app: made.app, encoding: made), number])
        } catch {
            standings.withLock { $0.removeAll { $0.rule.id == made.id } }
            throw error
        }
        return made
    }

    private func nextNumber() -> Int {
        highest.withLock { highest in
            highest += 1
            return highest
        }
    }

    /// Removes the rule with an id; nil removes all rules.
    ///
    /// - Parameter app: if it is not nil, only rules that apply to this app alone are removed.
    /// - Returns: the number of rules that were removed.
    package func remove(_ id: String?, of app: String? = nil) async throws -> Int {
        let gone = all.map(\.rule).filter { (id == nil || $0.id == id) && (app == nil || $0.app == app) }.map(\.id)
        for name in gone { try await storage.removeDocument(.fault, name: name) }
        standings.withLock { $0.removeAll { gone.contains($0.rule.id) } }
        return gone.count
    }

    private static func number(_ id: String) -> Int { Int(id.dropFirst()) ?? 0 }

    // MARK: Hits

    /// Whether there are no fault rules.
    package var isEmpty: Bool { standings.withLock { $0.isEmpty } }

    /// Whether any rule applies only to one customer, so that the caller must determine the customer of a call.
    package func asksForCustomer(environment: StoreEnvironment, app: String) -> Bool {
        standings.withLock { standings in
            standings.contains {
                $0.rule.customer != nil && ($0.rule.environment ?? environment) == environment
                    && ($0.rule.app ?? app) == app
            }
        }
    }

    /// The faults that hit a call, in the order of the rules.
    package func hits(on target: Target) -> [FaultHit] { hits(on: target, ofNotifications: false) }

    /// The faults that hit the delivery of a notification, in the order of the rules.
    ///
    /// - Parameter canHoldBack: whether the rules of the kind `reorder` apply.
    func hits(onNotification target: Target, canHoldBack: Bool) -> [FaultHit] {
        hits(on: target, ofNotifications: true, canHoldBack: canHoldBack)
    }

    private func hits(on target: Target, ofNotifications: Bool, canHoldBack: Bool = true) -> [FaultHit] {
        let realTime = wallClock()
        return standings.withLock { standings in
            var hits: [FaultHit] = []
            for place in standings.indices {
                let rule = standings[place].rule
                // If a fault has already ended the call, other rules that would end it do not count a hit.
                let isOver = hits.contains { $0.rule.kind.endsCall }
                guard
                    rule.kind.isOfNotifications == ofNotifications, !(isOver && rule.kind.endsCall),
                    canHoldBack || rule.kind != .reorder,
                    rule.fits(target, at: realTime), let hit = standings[place].hit(target, at: realTime)
                else { continue }
                hits.append(hit)
            }
            return hits
        }
    }

    /// The age in milliseconds up to which matching `staleReads` rules hide a purchase; nil if no such rule matches.
    package func readGap(for target: Target) -> Int? {
        let realTime = wallClock()
        return standings.withLock { standings in
            standings.filter { $0.rule.kind == .staleReads && $0.rule.fits(target, at: realTime) }
                .compactMap(\.rule.milliseconds).max()
        }
    }
}

extension FaultRule {
    /// The name of the verifyReceipt route, which is not part of the App Store Server API.
    package static let verifyReceipt = "verifyReceipt"

    fileprivate func fits(_ target: FaultRules.Target, at realTime: Timestamp) -> Bool {
        (environment ?? target.environment) == target.environment && (app ?? target.app) == target.app
            && (route.map { $0 == target.route || target.route.hasPrefix($0 + "/") } ?? true)
            && (customer == nil || customer == target.customer) && (endpoint == nil || endpoint == target.endpoint)
            && (until.map { realTime <= $0 } ?? true)
            && (target.route == Self.verifyReceipt ? kind.isOfVerifyReceipt : kind != .receiptStatus)
    }
}

extension FaultRules.Standing {
    /// The maximum number of notifications for which a rule remembers what it decided.
    private static let maxDecisions = 1_000

    /// Counts a match, and decides whether it is a hit. A notification counts once, although it has a delivery for each
    /// endpoint, and all deliveries have the same decision.
    fileprivate mutating func hit(_ target: FaultRules.Target, at realTime: Timestamp) -> FaultHit? {
        guard let attempt = target.attempt else { return decide(target, at: realTime) }
        if let known = decisions[attempt] { return known.map { FaultHit(rule: rule, milliseconds: $0) } }
        let hit = decide(target, at: realTime)
        decisions.updateValue(hit?.milliseconds, forKey: attempt)
        decided.append(attempt)
        if decided.count > Self.maxDecisions, let oldest = decided.popFirst() { decisions.removeValue(forKey: oldest) }
        return hit
    }

    /// Counts a match, and decides whether it is a hit, by the rule's limits and at random.
    private mutating func decide(_ target: FaultRules.Target, at realTime: Timestamp) -> FaultHit? {
        seen += 1
        if let limit = rule.limit, struck >= limit { return nil }
        var random = SeededRandom(seed: rule.seed &+ UInt64(seen) &* 0x9e37_79b9_7f4a_7c15)
        if let share = rule.share, random.unit() >= share { return nil }
        if rule.kind == .rateLimit, !exceeds(target, at: realTime) { return nil }
        struck += 1
        let more = rule.spread.map { Int(random.unit() * Double($0 + 1)) } ?? 0
        return FaultHit(rule: rule, milliseconds: (rule.milliseconds ?? 0) + more)
    }

    private mutating func exceeds(_ target: FaultRules.Target, at realTime: Timestamp) -> Bool {
        guard let budget = rule.perHour ?? RateLimits.perHour(target.route, in: target.environment) else {
            return false
        }
        let key = "\(target.environment.rawValue)/\(target.app)/\(target.route)"
        let number = realTime.milliseconds / 3_600_000
        var hour = hours[key] ?? FaultRules.Hour(number: number, calls: 0)
        if hour.number != number { hour = FaultRules.Hour(number: number, calls: 0) }
        hour.calls += 1
        hours[key] = hour
        return hour.calls > budget
    }
}
