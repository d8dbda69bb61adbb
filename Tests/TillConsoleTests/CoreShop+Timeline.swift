import Testing
import TillCore
import TillTestSupport

@testable import TillConsole

/// Timelines of the subscriptions in a shop without storage.
extension CoreShop {
    /// A shop with real calendar months instead of accelerated renewals, and with a grace period.
    static func forTimeline(in environment: StoreEnvironment = .sandbox, rate: RenewalRate = .calendar) -> CoreShop {
        var policy = Policy(for: environment, rate: rate)
        policy.grace = GracePeriod(days: 16, coverage: .allRenewals)
        policy.renewalCap = nil
        policy.commitmentsEverywhere = true
        return CoreShop(in: environment, policy: policy, selling: SampleCatalog.plans)
    }

    /// The input of the subscription's timeline.
    func facts(_ customer: String = "ann", _ ownership: InAppOwnershipType = .purchased) throws -> TimelineFacts {
        TimelineFacts(
            of: try #require(held(customer, ownership)),
            held: try #require(accounts[customer]),
            rows: history(customer),
            notifications: notifications,
            catalog: catalog,
            policy: policy,
            at: now
        )
    }

    func timeline(_ customer: String = "ann", _ ownership: InAppOwnershipType = .purchased, width: Double = 1_040)
        throws
        -> Timeline
    {
        Timeline(try facts(customer, ownership), width: width)
    }
}

extension TimelineFacts {
    /// The input from a shop without storage.
    init(
        of subscription: any HeldSubscription,
        held account: Account,
        rows: some Sequence<Transaction>,
        notifications: [Notification],
        catalog: Catalog,
        policy: Policy,
        at now: Timestamp
    ) {
        let notices = notifications.filter {
            $0.account == account.id && $0.transaction.originalID == subscription.originalID
        }
        self.init(
            rows: rows.filter { $0.account == account.id && $0.originalID == subscription.originalID },
            subscription: subscription,
            renewal: RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy),
            notices: notices.map { notification in
                TimelineNotice(
                    type: notification.type.rawValue,
                    subtype: notification.subtype?.rawValue,
                    date: notification.signedDate,
                    transaction: notification.transaction.id,
                    fate: .arrived,
                    address: "/console/notification/\(notification.number)"
                )
            },
            products: catalog.products.values.sorted { ($0.plan?.level ?? 0, $0.id) < ($1.plan?.level ?? 0, $1.id) }
                .map { ($0.id, "Plan \($0.id)") },
            now: now
        )
    }
}
