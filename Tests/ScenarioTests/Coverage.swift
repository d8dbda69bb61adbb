import Synchronization
import Testing

/// Contains all scenarios. After the last one, `CoverageTrait` checks which notifications and transitions they covered.
@Suite("Scenarios", .judgesCoverage)
enum Scenarios {}

/// Collects the notifications and transitions that the scenarios have covered.
enum Coverage {
    /// A transition of one subscription: the status before (0 without a subscription), the notification, the status
    /// after.
    struct Step: Hashable, Sendable {
        var from: Int
        var words: String
        var to: Int
    }

    struct Seen: Sendable {
        var words: Set<String> = []
        var steps: Set<Step> = []
        var scenarios = 0
    }

    static let seen = Mutex(Seen())

    static func note(_ received: [ReceivedNotification]) {
        var status: [String: Int] = [:]
        var steps: Set<Step> = []
        for one in received {
            guard let after = one.status else { continue }
            let original = one.transaction.originalTransactionId
            steps.insert(Step(from: status[original] ?? 0, words: one.words, to: after))
            status[original] = after
        }
        seen.withLock {
            $0.words.formUnion(received.map(\.words))
            $0.steps.formUnion(steps)
            $0.scenarios += 1
        }
    }

    /// Every notification type and subtype that some scenario must cover.
    static let words = [
        "SUBSCRIBED INITIAL_BUY", "SUBSCRIBED RESUBSCRIBE", "DID_RENEW", "DID_RENEW BILLING_RECOVERY",
        "OFFER_REDEEMED", "OFFER_REDEEMED UPGRADE", "OFFER_REDEEMED DOWNGRADE", "ONE_TIME_CHARGE",
        "DID_CHANGE_RENEWAL_PREF UPGRADE", "DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
        "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
        "EXPIRED VOLUNTARY", "EXPIRED BILLING_RETRY", "EXPIRED PRICE_INCREASE", "EXPIRED PRODUCT_NOT_FOR_SALE",
        "PRICE_INCREASE PENDING", "PRICE_INCREASE ACCEPTED", "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION FAILURE",
    ]

    /// Every transition of a subscription that some scenario must cover.
    static let steps: [Step] = [
        step(0, "SUBSCRIBED INITIAL_BUY", 1), step(1, "DID_RENEW", 1),
        step(1, "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", 1),
        step(1, "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", 1),
        step(1, "DID_CHANGE_RENEWAL_PREF UPGRADE", 1), step(1, "OFFER_REDEEMED UPGRADE", 1),
        step(1, "DID_CHANGE_RENEWAL_PREF DOWNGRADE", 1), step(1, "OFFER_REDEEMED DOWNGRADE", 1),
        step(1, "DID_CHANGE_RENEWAL_PREF", 1), step(1, "OFFER_REDEEMED", 1),
        step(1, "EXPIRED VOLUNTARY", 2), step(1, "EXPIRED PRICE_INCREASE", 2),
        step(1, "EXPIRED PRODUCT_NOT_FOR_SALE", 2), step(1, "DID_FAIL_TO_RENEW", 3),
        step(1, "DID_FAIL_TO_RENEW GRACE_PERIOD", 4), step(4, "DID_RENEW BILLING_RECOVERY", 1),
        step(4, "GRACE_PERIOD_EXPIRED", 3), step(3, "DID_RENEW BILLING_RECOVERY", 1),
        step(3, "EXPIRED BILLING_RETRY", 2), step(3, "EXPIRED VOLUNTARY", 2), step(4, "EXPIRED VOLUNTARY", 2),
        step(3, "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", 3),
        step(4, "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", 4),
        step(2, "SUBSCRIBED RESUBSCRIBE", 1), step(3, "SUBSCRIBED RESUBSCRIBE", 1), step(1, "REFUND", 5),
        step(4, "REFUND", 5), step(1, "REFUND", 1), step(2, "REFUND", 2), step(5, "REFUND_REVERSED", 1),
        step(5, "REFUND_REVERSED", 2), step(5, "SUBSCRIBED RESUBSCRIBE", 1), step(1, "REVOKE", 5),
        step(1, "RENEWAL_EXTENDED", 1),
    ]

    private static func step(_ from: Int, _ words: String, _ to: Int) -> Step { Step(from: from, words: words, to: to) }

    /// The transitions and notifications that no scenario has covered, as text.
    static func missing(in seen: Seen) -> [String] {
        words.filter { !seen.words.contains($0) }
            + steps.filter { !seen.steps.contains($0) }.map { "\($0.words) from status \($0.from) to \($0.to)" }
    }
}

/// Checks the coverage after all scenarios, whatever their order. Does nothing if only some scenarios were selected.
struct CoverageTrait: SuiteTrait, TestScoping {
    var isRecursive: Bool { false }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        let seen = Coverage.seen.withLock { $0 }
        let isChoice = CommandLine.arguments.contains { $0 == "--filter" || $0 == "--skip" }
        if isChoice, seen.scenarios < 60 { return }
        let missing = Coverage.missing(in: seen)
        #expect(missing.isEmpty, "no scenario covers: \(missing.joined(separator: "; "))")
    }
}

extension Trait where Self == CoverageTrait {
    /// Fails when no scenario covers a notification or transition of the lists in `Coverage`.
    static var judgesCoverage: Self { CoverageTrait() }
}
