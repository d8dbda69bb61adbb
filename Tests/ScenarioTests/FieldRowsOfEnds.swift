import TillCore
import TillTestSupport

/// Transitions in which a subscription ends, is bought again, is refunded or is extended.
extension FieldTests {
    private static let subscribed: Play = { shop in
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-20")
    }
    private static let lapsed: Play = { shop in
        try await shop.buy("pro", by: "ann")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-10")
    }
    private static let declined: Play = { shop in
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
    }

    static let ends = [
        Row(
            name: "T9 voluntary expiry",
            transaction: unchanged(),
            info: ended("1"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.cancelRenewal(of: "ann")
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(name: "T9 fails, none", transaction: unchanged(), info: stays(failing), before: declined) {
            try await $0.advance(to: "2026-02-02")
        },
        Row(
            name: "T9 fails, grace",
            transaction: unchanged(),
            info: stays(failing.merging([.gracePeriodExpiresDate: "old expiry +P16D"]) { $1 }),
            before: declined
        ) { try await $0.advance(to: "2026-02-02") },
        Row(
            name: "T9 grace over",
            transaction: unchanged(),
            info: stays(failing.merging([.gracePeriodExpiresDate: "old expiry +P16D"]) { $1 }),
            before: declined
        ) { try await $0.advance(to: "2026-02-20") },
        Row(
            name: "T9 retry over after grace",
            transaction: unchanged(),
            info: ended("2", [.gracePeriodExpiresDate: "old expiry +P16D"]),
            before: declined
        ) { try await $0.advance(to: "2026-05-02") },
        Row(name: "T9 retry over", transaction: unchanged(), info: ended("2"), before: declined) {
            try await $0.advance(to: "2026-05-02")
        },
        Row(
            name: "T9 no consent",
            transaction: unchanged(),
            info: ended("3", [.priceIncreaseStatus: "0"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 12_990)
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T9 not for sale",
            transaction: unchanged(),
            info: ended("4"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.removeFromSale("pro")
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
    ]

    static let returns = [
        Row(name: "T12 resubscribe", transaction: bought(), info: began("pro"), before: lapsed) {
            try await $0.buy("pro", by: "ann")
        },
        Row(
            name: "T12 resubscribe to another product",
            transaction: bought([.productId: "low", .price: "1990"]),
            info: began("low", [.renewalPrice: "1990"]),
            before: lapsed
        ) { try await $0.buy("low", by: "ann") },
        Row(
            name: "T12 resubscribe by a win-back offer",
            transaction: bought([
                .price: "490", .offerType: "4", .offerIdentifier: "back", .offerDiscountType: "PAY_UP_FRONT",
                .offerPeriod: "P1M",
            ]),
            info: began("pro"),
            before: lapsed
        ) { try await $0.buy("pro", by: "ann", offer: .winBack("back")) },
        Row(
            name: "T12 resubscribe after more than sixty days",
            transaction: bought(),
            info: began("pro", [.recentSubscriptionStartDate: "purchase"]),
            before: {
                try await lapsed($0)
                try await $0.advance(to: "2026-06-10")
            },
            event: { try await $0.buy("pro", by: "ann") }
        ),
        Row(
            name: "T12 resubscribe after the retries",
            transaction: bought(),
            info: began("pro", [.recentSubscriptionStartDate: "purchase"]),
            before: {
                try await declined($0)
                try await $0.advance(to: "2026-06-10")
                try await $0.acceptCard(of: "ann")
            },
            event: { try await $0.buy("pro", by: "ann") }
        ),
    ]

    static let moves = [
        Row(
            name: "T15 refund of the running period",
            transaction: unchanged([
                .revocationDate: "t", .revocationReason: "1", .revocationType: "REFUND_FULL",
            ]),
            info: stays(),
            before: subscribed
        ) { try await $0.grantRefund(to: "ann", because: .issueInApp) },
        Row(
            name: "T15 refund of a part",
            transaction: unchanged([
                .revocationDate: "t", .revocationReason: "0", .revocationType: "REFUND_PRORATED",
                .revocationPercentage: "25000",
            ]),
            info: stays(),
            before: subscribed
        ) { try await $0.grantRefund(to: "ann", .part(25_000)) },
        Row(
            name: "T15 refund that was asked for",
            transaction: unchanged([.revocationDate: "t", .revocationType: "REFUND_FULL"]),
            info: stays([.autoRenewStatus: "0", .renewalPrice: "-"]),
            before: subscribed
        ) {
            try await $0.requestRefund(by: "ann")
            try await $0.advance(to: "2026-01-22")
        },
        Row(
            name: "T16 refund reversed",
            transaction: unchanged([
                .revocationDate: "-", .revocationReason: "-", .revocationType: "-", .revocationPercentage: "-",
            ]),
            info: stays(),
            before: {
                try await subscribed($0)
                try await $0.grantRefund(to: "ann")
                try await $0.advance(to: "2026-01-25")
            },
            event: { try await $0.reverseRefund(to: "ann") }
        ),
        Row(
            name: "T18 extension",
            transaction: unchanged([.expiresDate: "old expiry +P10D"]),
            info: stays([.renewalDate: "old expiry +P10D"]),
            before: subscribed
        ) { try await $0.extendRenewal(of: "ann", days: 10, request: "one") },
    ]
}
