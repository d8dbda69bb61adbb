import Metrics
import TillCore
import TillStorage

/// The metrics that the shop counts while it works. Their handlers are created once; counting changes an atomic number.
struct ShopMetrics: Sendable {
    let commits: CommitMetrics
    let signatures: SignatureMetrics
    private let attempts: [StoreEnvironment: CounterFamily<SendAttemptResult>]

    init(factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        commits = CommitMetrics(factory: factory)
        signatures = SignatureMetrics(factory: factory)
        attempts = Dictionary(
            uniqueKeysWithValues: StoreEnvironment.allCases.map { environment in
                let family = CounterFamily<SendAttemptResult> { result in
                    Metric.deliveryAttempts.counter(environment.rawValue, result.rawValue, factory: factory)
                }
                return (environment, family)
            }
        )
    }

    /// Counts an attempt to deliver a notification.
    func countAttempt(in environment: StoreEnvironment, _ result: SendAttemptResult) {
        attempts[environment]?.count(result)
    }
}

/// The metrics of the commit queue.
struct CommitMetrics: Sendable {
    /// The result of a change, as a label.
    enum Outcome: String, CaseIterable {
        case committed
        case conflict
        /// A write precondition did not hold: another node changed the configuration, or removed this node.
        case outdated
        /// An offer code was used up, or an imported identifier exists.
        case refused
        case temporary
        case diskFull = "disk_full"
        case failed

        init(_ result: Result<Void, CommitFailure>) {
            switch result {
            case .success: self = .committed
            case .failure(.conflict): self = .conflict
            case .failure(.preconditionFailed): self = .outdated
            case .failure(.codeUsedUp), .failure(.identifierExists): self = .refused
            case .failure(.temporary): self = .temporary
            case .failure(.diskFull): self = .diskFull
            case .failure(.engine): self = .failed
            }
        }
    }

    private let results: CounterFamily<Outcome>
    private let duration: Timer
    private let groupSize: Recorder
    private let retries: Counter

    init(factory: any MetricsFactory) {
        results = CounterFamily { Metric.commits.counter($0.rawValue, factory: factory) }
        duration = Metric.commitDuration.timer(factory: factory)
        groupSize = Metric.commitGroupSize.recorder(factory: factory)
        retries = Metric.commitRetries.counter(factory: factory)
    }

    /// Counts a decision that is repeated after a conflict.
    func countRetry() { retries.increment() }

    /// Counts the changes of a database transaction that began at an instant.
    func note(_ results: [Result<Void, CommitFailure>], since begin: ContinuousClock.Instant) {
        duration.recordNanoseconds((ContinuousClock.now - begin).nanoseconds)
        groupSize.record(results.count)
        for result in results { self.results.count(Outcome(result)) }
    }
}

/// The metrics of signatures.
struct SignatureMetrics: Sendable {
    /// What is signed, as a label.
    enum Format: String, CaseIterable {
        case jws
        case receipt
    }

    private let made: CounterFamily<Format>
    private let reused: CounterFamily<Format>

    init(factory: any MetricsFactory) {
        made = CounterFamily { Metric.signatures.counter($0.rawValue, factory: factory) }
        reused = CounterFamily { Metric.signaturesReused.counter($0.rawValue, factory: factory) }
    }

    func countMade(_ format: Format, _ number: Int = 1) { made.count(format, number) }
    func countReused(_ format: Format, _ number: Int = 1) { reused.count(format, number) }
}

extension Duration {
    /// The duration in nanoseconds.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
