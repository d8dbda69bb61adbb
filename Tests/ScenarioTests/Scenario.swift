import Testing
import TillCore
import TillTestSupport

/// A scenario: dated operations of customers and the developer, and one expected timeline of all notifications that the
/// developer's server receives.
/// A scenario does not depend on its backend, so the same text holds for the rules of TillCore alone, a database and a
/// server. The first operation of a customer creates the account.
final class Scenario: TestLanguage {
    let wire: any WireBackend
    let hours: Hours
    private(set) var now: Timestamp
    /// The products at the beginning. The timeline shows only prices that differ from these.
    let products: [String: Product]

    /// Creates a scenario that begins on a day.
    ///
    /// - Parameters:
    ///   - environment: In the sandbox, renewals are charged when a period ends; in production, one day before.
    ///   - change: Changes the default policy.
    init(
        at kind: BackendKind,
        on start: String,
        in environment: StoreEnvironment = .sandbox,
        selling products: [Product],
        rate: RenewalRate = .calendar,
        grace: GracePeriod? = nil,
        choosing change: (inout Policy) -> Void = { _ in }
    ) async throws {
        var policy = Policy(for: environment, rate: rate)
        policy.grace = grace
        change(&policy)
        now = Hours.start(start)
        hours = Hours(of: now)
        self.products = Dictionary(uniqueKeysWithValues: products.map { ($0.id, $0) })
        wire = try await kind.open(
            BackendSettings(environment: environment, products: products, policy: policy, start: now)
        )
    }

    // MARK: Time

    /// Advances the clock to a date, and processes everything that falls due until then.
    func advance(to date: String) async throws {
        now = hours.instant(date)
        try await wire.advance(to: now)
    }

    func instant(_ date: String) -> Timestamp { hours.instant(date) }

    var backend: any Backend { wire }

    // MARK: Reading the state

    /// Returns the customer's own subscription; the latest if there are several.
    func own(_ customer: String) async throws -> ReceivedSubscription {
        let all = try await wire.subscriptions(of: customer)
        return try #require(all.last { $0.transaction.inAppOwnershipType == "PURCHASED" })
    }

    /// Returns the subscription that a family member shares with the customer.
    func shared(_ customer: String) async throws -> ReceivedSubscription {
        let all = try await wire.subscriptions(of: customer)
        return try #require(all.last { $0.transaction.inAppOwnershipType == "FAMILY_SHARED" })
    }

    /// Returns the customer's own transaction whose period began on a date, or the latest transaction if no date is
    /// given.
    func transaction(of customer: String, _ date: String?) async throws -> ReceivedTransaction {
        let own = try await wire.history(of: customer).filter { $0.inAppOwnershipType == "PURCHASED" }
            .sorted {
                ($0.purchaseDate, Int64($0.transactionId) ?? 0) < ($1.purchaseDate, Int64($1.transactionId) ?? 0)
            }
        guard let date else { return try #require(own.last) }
        let wanted = hours.instant(date)
        return try #require(own.last { $0.purchaseDate == wanted }, "nothing of \(customer) began on \(date)")
    }

    /// Expects that the rules refuse an operation, with this code.
    func expectRefusal(
        _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: () async throws -> Void
    ) async throws {
        do {
            try await operation()
            Issue.record("expected the refusal \(code), but nothing was refused", sourceLocation: sourceLocation)
        } catch let refusal as Refusal {
            #expect(refusal.code == code, sourceLocation: sourceLocation)
        }
    }

    // MARK: The timeline

    /// Expects exactly these notifications since the beginning, and that each of them satisfies the conditions of
    /// `Laws`.
    func expectNotifications(_ timeline: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let received = Timeline.ordered(try await wire.received())
        Coverage.note(received)
        let lines = Timeline(of: self).lines(received)
        if let difference = Timeline.difference(of: lines, from: timeline) {
            Issue.record(Comment(rawValue: difference), sourceLocation: sourceLocation)
        }
        for one in received {
            for violation in Laws.violations(by: one) {
                let line = Timeline(of: self).lines([one]).first ?? ""
                Issue.record(Comment(rawValue: "\(line): \(violation)"), sourceLocation: sourceLocation)
            }
        }
    }
}

extension Refusal {
    /// The code of a refusal in the control API, such as `already_subscribed`.
    fileprivate var code: String {
        let name = String(describing: self).prefix { $0 != "(" }
        return name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }
}
