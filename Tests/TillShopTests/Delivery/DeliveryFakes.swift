import Synchronization
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

extension DeliverySchedule.New {
    /// A notification whose body is its number.
    func entry(_ number: Int64, _ scope: AccountScope, _ date: Timestamp) -> OutboxEntry {
        OutboxEntry(
            id: NotificationID(number),
            scope: scope,
            account: nil,
            original: original.map { TransactionID(Int64($0)) },
            transaction: nil,
            uuid: "n\(number)",
            type: type,
            subtype: nil,
            isTriggered: false,
            signedDate: date,
            content: .versionOne(Array("\(number)".utf8))
        )
    }
}

/// Deliveries and notifications in memory.
final class FakeDeliveryStore: Sendable {
    struct Key: Hashable, Comparable {
        let notification: NotificationID
        let endpoint: String

        init(_ notification: NotificationID, _ endpoint: String) {
            (self.notification, self.endpoint) = (notification, endpoint)
        }

        static func < (left: Key, right: Key) -> Bool {
            (left.notification, left.endpoint) < (right.notification, right.endpoint)
        }
    }

    private struct State {
        var entries: [NotificationID: OutboxEntry] = [:]
        var deliveries: [Key: Delivery] = [:]
    }

    private let state = Mutex(State())

    var deliveries: [Key: Delivery] { state.withLock { $0.deliveries } }

    func delivery(_ key: Key) -> Delivery? { state.withLock { $0.deliveries[key] } }

    /// Adds a notification whose body is its number.
    ///
    /// - Returns: the change that a commit would have written.
    func add(_ new: DeliverySchedule.New, on clock: ClockName, due: Timestamp) -> Change {
        state.withLock { state in
            let entry = new.entry(Int64(state.entries.count + 1), clock.scope, due)
            state.entries[entry.id] = entry
            let deliveries = new.endpoints.map { Delivery(of: entry, to: $0, clock: clock, due: due) }
            for delivery in deliveries { state.deliveries[Key(entry.id, delivery.endpoint)] = delivery }
            return Change(notifications: [entry], deliveries: deliveries)
        }
    }

    /// The store, as the delivery worker sees it.
    var deliveryStore: DeliveryStore {
        DeliveryStore(
            pending: { [self] endpoint, clock, limit in
                await Task.yield()
                let pending = deliveries.values.filter {
                    $0.endpoint == endpoint.key && $0.clock == clock && $0.due != nil
                }
                let sorted = pending.sorted {
                    ($0.due?.milliseconds ?? 0, $0.notification) < ($1.due?.milliseconds ?? 0, $1.notification)
                }
                // A commit or a result may arrive after the store has been read.
                await Task.yield()
                return DueDeliveries(sorted.prefix(limit).map { .success($0) }, limit: limit)
            },
            notification: { [self] id in state.withLock { $0.entries[id] } },
            record: { [self] deliveries, _ in
                await Task.yield()
                state.withLock { state in
                    for delivery in deliveries {
                        state.deliveries[Key(delivery.notification, delivery.endpoint)] = delivery
                    }
                }
            }
        )
    }
}

/// A webhook client that answers as the seed says, and records the posts.
final class FakeWebhookClient: WebhookPosting {
    /// A post of a delivery, with the number of its recorded attempts before.
    struct Post: Hashable, Comparable {
        let key: FakeDeliveryStore.Key
        let attempt: Int

        static func < (left: Post, right: Post) -> Bool { (left.key, left.attempt) < (right.key, right.attempt) }
    }

    private struct State {
        var posts: [Post] = []
        var inProgress: [Post] = []
        var violations: [String] = []
        /// The share of the posts that hang now, in percent.
        var hanging = 0
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var interrupted: [Post] = []
        var isShutDown = false
    }

    private let store: FakeDeliveryStore
    private let seed: UInt64
    private let state = Mutex(State())
    /// Checks a first attempt that begins now against the deliveries, and returns what is wrong.
    private let check: @Sendable (Post, [FakeDeliveryStore.Key: Delivery]) -> String?

    init(
        _ store: FakeDeliveryStore,
        seed: UInt64,
        check: @escaping @Sendable (Post, [FakeDeliveryStore.Key: Delivery]) -> String?
    ) {
        (self.store, self.seed, self.check) = (store, seed, check)
    }

    var posts: [Post] { state.withLock { $0.posts } }
    var violations: [String] { state.withLock { $0.violations } }
    /// The posts that were interrupted by a shutdown.
    var interrupted: [Post] { state.withLock { $0.interrupted } }
    /// The number of posts that hang now.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func letHang(_ percent: Int) { state.withLock { $0.hanging = percent } }

    /// Answers the posts that hang.
    func release() { resume(with: true) }

    func shutdown() async throws {
        state.withLock { $0.isShutDown = true }
        resume(with: false)
        while state.withLock({ !$0.inProgress.isEmpty }) { await Task.yield() }
    }

    private func resume(with isAnswered: Bool) {
        let waiting = state.withLock { state in
            state.hanging = 0
            defer { state.waiting = [] }
            return state.waiting
        }
        for post in waiting { post.resume(returning: isAnswered) }
    }

    func post(_ body: [UInt8], to url: String, trace: TraceContext?) async -> AttemptResult {
        let number = Int64(String(decoding: body, as: UTF8.self)) ?? 0
        let key = FakeDeliveryStore.Key(NotificationID(number), url)
        let post = Post(key: key, attempt: store.delivery(key)?.attempts.count ?? 0)
        var random = SeededRandom(
            seed: seed ^ UInt64(number) &* 0x1000_0001 &+ UInt64(url.utf8.count + post.attempt * 7)
        )
        let violation = check(post, store.deliveries)
        let hangs: Bool? = state.withLock { state in
            if state.isShutDown { return nil }
            state.posts.append(post)
            if let violation { state.violations.append(violation) }
            if state.inProgress.filter({ $0.key.endpoint == url }).count >= DeliveryQueue.maxPosting {
                state.violations.append("more than 16 posts to \(url)")
            }
            state.inProgress.append(post)
            return random.number(in: 1...100) <= state.hanging
        }
        guard let hangs else { return AttemptResult(result: .other, milliseconds: 0) }
        for _ in 0..<random.number(in: 0...3) { await Task.yield() }
        let isAnswered = hangs ? await hang() : true
        state.withLock { state in
            if let index = state.inProgress.firstIndex(of: post) { state.inProgress.remove(at: index) }
            if !isAnswered { state.interrupted.append(post) }
        }
        guard isAnswered else { return AttemptResult(result: .other, milliseconds: 0) }
        switch random.number(in: 1...100) {
        case ...60: return AttemptResult(result: .success, status: 200, milliseconds: 0)
        case ...90: return AttemptResult(result: .unsuccessfulHTTPResponseCode, status: 500, milliseconds: 0)
        default: return AttemptResult(result: .timedOut, milliseconds: 0)
        }
    }

    private func hang() async -> Bool {
        await withCheckedContinuation { continuation in
            let hangs = state.withLock { state in
                if state.hanging > 0 { state.waiting.append(continuation) }
                return state.hanging > 0
            }
            if !hangs { continuation.resume(returning: true) }
        }
    }
}
