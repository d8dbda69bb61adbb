import TillCore
import TillTestSupport

extension FieldTests {
    /// The fields of a new transaction of the same subscription, which the customer or a renewal bought.
    static func bought(_ changes: [Field: String] = [:], reason: String = "PURCHASE") -> [Field: String] {
        [
            .transactionId: "new", .originalTransactionId: "=", .webOrderLineItemId: "new", .productId: "=",
            .purchaseDate: "t", .originalPurchaseDate: "=", .expiresDate: "+P1M", .transactionReason: reason,
            .price: "4990", .offerType: "-", .offerDiscountType: "-", .offerPeriod: "-", .isUpgraded: "-",
            .revocationDate: "-",
        ].merging(changes) { $1 }
    }

    /// The fields of the first transaction of a subscription.
    private static func first(_ changes: [Field: String] = [:]) -> [Field: String] {
        bought([.originalTransactionId: "id", .originalPurchaseDate: "t", .productId: "pro"].merging(changes) { $1 })
    }

    static func unchanged(_ changes: [Field: String] = [:]) -> [Field: String] {
        let fields: [Field] = [
            .transactionId, .originalTransactionId, .webOrderLineItemId, .productId, .purchaseDate,
            .originalPurchaseDate, .expiresDate, .transactionReason, .price, .offerType, .offerDiscountType,
            .offerPeriod, .isUpgraded, .revocationDate,
        ]
        return Dictionary(uniqueKeysWithValues: fields.map { ($0, "=") }).merging(changes) { $1 }
    }

    /// The renewal info of an active subscription after a purchase of `product`.
    static func began(_ product: String, _ changes: [InfoField: String] = [:]) -> [InfoField: String] {
        [
            .productId: product, .autoRenewProductId: product, .autoRenewStatus: "1", .renewalPrice: "4990",
            .expirationIntent: "-", .isInBillingRetryPeriod: "-", .gracePeriodExpiresDate: "-",
            .renewalDate: "expiry", .recentSubscriptionStartDate: "=", .priceIncreaseStatus: "-", .offerType: "-",
        ].merging(changes) { $1 }
    }

    static func stays(_ changes: [InfoField: String] = [:]) -> [InfoField: String] {
        [
            .productId: "=", .autoRenewProductId: "=", .autoRenewStatus: "=", .renewalPrice: "=",
            .expirationIntent: "-", .isInBillingRetryPeriod: "-", .gracePeriodExpiresDate: "-", .renewalDate: "=",
            .recentSubscriptionStartDate: "=", .priceIncreaseStatus: "-", .offerType: "-",
        ].merging(changes) { $1 }
    }

    static func ended(_ intent: String, _ changes: [InfoField: String] = [:]) -> [InfoField: String] {
        stays([
            .autoRenewStatus: "0", .renewalPrice: "-", .expirationIntent: intent, .isInBillingRetryPeriod: "false",
        ]).merging(changes) { $1 }
    }

    static let failing: [InfoField: String] = [
        .expirationIntent: "2", .isInBillingRetryPeriod: "true",
    ]

    private static let nothing: Play = { _ in }
    private static let subscribed: Play = { shop in
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-20")
    }

    static let rows: [Row] = firstPurchases + renewals + changes + ends + returns + moves

    private static let firstPurchases = [
        Row(
            name: "T1 first purchase",
            transaction: first(),
            info: began("pro", [.recentSubscriptionStartDate: "purchase"]),
            before: nothing
        ) { try await $0.buy("pro", by: "ann") },
        Row(
            name: "T2 free trial",
            transaction: first([
                .productId: "trial", .expiresDate: "+P1W", .offerType: "1", .offerDiscountType: "FREE_TRIAL",
                .offerPeriod: "P1W", .offerIdentifier: "-", .price: "0",
            ]),
            info: began("trial", [.recentSubscriptionStartDate: "purchase"]),
            before: nothing
        ) { try await $0.buy("trial", by: "ann") },
        Row(
            name: "T2 pay up front",
            transaction: first([
                .productId: "front", .expiresDate: "+P2M", .offerType: "1", .offerDiscountType: "PAY_UP_FRONT",
                .offerPeriod: "P2M", .price: "1990",
            ]),
            info: began("front", [.recentSubscriptionStartDate: "purchase"]),
            before: nothing
        ) { try await $0.buy("front", by: "ann") },
        Row(
            name: "T3 pay as you go",
            transaction: first([
                .productId: "go", .offerType: "1", .offerDiscountType: "PAY_AS_YOU_GO", .offerPeriod: "P3M",
                .price: "490",
            ]),
            info: began("go", [.recentSubscriptionStartDate: "purchase", .renewalPrice: "490", .offerType: "1"]),
            before: nothing
        ) { try await $0.buy("go", by: "ann") },
    ]

    private static let renewal = bought([.purchaseDate: "old expiry"], reason: "RENEWAL")

    private static let renewals = [
        Row(name: "T4 renewal", transaction: renewal, info: began("pro"), before: subscribed) {
            try await $0.advance(to: "2026-02-05")
        },
        Row(
            name: "T4 renewal after a trial",
            transaction: renewal,
            info: began("trial"),
            before: { try await $0.buy("trial", by: "ann") },
            event: { try await $0.advance(to: "2026-01-10") }
        ),
        Row(
            name: "T3 second of three",
            transaction: renewal.merging([
                .offerType: "1", .offerDiscountType: "PAY_AS_YOU_GO", .offerPeriod: "P3M", .price: "490",
            ]) { $1 },
            info: began("go", [.renewalPrice: "490", .offerType: "1"]),
            before: { try await $0.buy("go", by: "ann") },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T7 deferred change takes effect",
            transaction: renewal.merging([.productId: "low", .price: "1990"]) { $1 },
            info: began("low", [.renewalPrice: "1990"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.changePlan(of: "ann", to: "low")
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T7 to another duration",
            transaction: renewal.merging([.productId: "year", .price: "39990", .expiresDate: "+P1Y"]) { $1 },
            info: began("year", [.renewalPrice: "39990"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.changePlan(of: "ann", to: "year")
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T13 the renewal carries the offer",
            transaction: renewal.merging([
                .offerType: "2", .offerDiscountType: "PAY_UP_FRONT", .offerPeriod: "P1M", .offerIdentifier: "stay",
                .price: "990",
            ]) { $1 },
            info: began("pro"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.buy("pro", by: "ann", offer: .promotional("stay"))
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T19 the increase applies",
            transaction: renewal.merging([.price: "5990"]) { $1 },
            info: began("pro", [.renewalPrice: "5990"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990)
                try await $0.advance(to: "2026-01-20")
            },
            event: { try await $0.advance(to: "2026-02-02") }
        ),
        Row(
            name: "T10 recovery in grace",
            transaction: renewal,
            info: began("pro"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-10")
            },
            event: { try await $0.acceptCard(of: "ann") }
        ),
        Row(
            name: "T11 recovery after grace",
            transaction: bought(reason: "RENEWAL"),
            info: began("pro"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-03-10")
            },
            event: { try await $0.acceptCard(of: "ann") }
        ),
        Row(
            name: "T11 recovery in retry",
            transaction: bought(reason: "RENEWAL"),
            info: began("pro"),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-10")
            },
            event: { try await $0.acceptCard(of: "ann") }
        ),
    ]

    private static let changes = [
        Row(
            name: "T5 upgrade",
            transaction: bought([.productId: "top", .price: "9990"]),
            info: began("top", [.renewalPrice: "9990"]),
            before: subscribed
        ) { try await $0.changePlan(of: "ann", to: "top") },
        Row(
            name: "T5 crossgrade of the same duration, renewal off",
            transaction: bought([.productId: "same", .price: "5490"]),
            info: began("same", [.renewalPrice: "5490"]),
            before: {
                try await subscribed($0)
                try await $0.cancelRenewal(of: "ann")
            },
            event: { try await $0.changePlan(of: "ann", to: "same") }
        ),
        Row(
            name: "T6 downgrade chosen",
            transaction: unchanged(),
            info: stays([.autoRenewProductId: "low", .renewalPrice: "1990", .autoRenewStatus: "1"]),
            before: subscribed
        ) { try await $0.changePlan(of: "ann", to: "low") },
        Row(
            name: "T6 crossgrade of another duration, renewal off",
            transaction: unchanged(),
            info: stays([.autoRenewProductId: "year", .renewalPrice: "39990", .autoRenewStatus: "1"]),
            before: {
                try await subscribed($0)
                try await $0.cancelRenewal(of: "ann")
            },
            event: { try await $0.changePlan(of: "ann", to: "year") }
        ),
        Row(
            name: "back to the current product",
            transaction: unchanged(),
            info: stays([.autoRenewProductId: "pro", .renewalPrice: "4990", .autoRenewStatus: "1"]),
            before: {
                try await subscribed($0)
                try await $0.changePlan(of: "ann", to: "low")
            },
            event: { try await $0.changePlan(of: "ann", to: "pro") }
        ),
        Row(
            name: "T8 off",
            transaction: unchanged(),
            info: stays([.autoRenewStatus: "0", .renewalPrice: "-"]),
            before: subscribed
        ) { try await $0.cancelRenewal(of: "ann") },
        Row(
            name: "T8 off drops the target",
            transaction: unchanged(),
            info: stays([.autoRenewProductId: "pro", .autoRenewStatus: "0", .renewalPrice: "-"]),
            before: {
                try await subscribed($0)
                try await $0.changePlan(of: "ann", to: "low")
            },
            event: { try await $0.cancelRenewal(of: "ann") }
        ),
        Row(
            name: "T8 on",
            transaction: unchanged(),
            info: stays([.autoRenewStatus: "1", .renewalPrice: "4990"]),
            before: {
                try await subscribed($0)
                try await $0.cancelRenewal(of: "ann")
            },
            event: { try await $0.resumeRenewal(of: "ann") }
        ),
        Row(
            name: "T13 offer on the same product",
            transaction: unchanged(),
            info: stays([
                .autoRenewStatus: "1", .renewalPrice: "990", .offerType: "2", .offerIdentifier: "stay",
            ]),
            before: subscribed
        ) { try await $0.buy("pro", by: "ann", offer: .promotional("stay")) },
        Row(
            name: "T14 offer with an upgrade",
            transaction: bought([
                .productId: "top", .price: "7990", .expiresDate: "+P2M", .offerType: "2",
                .offerDiscountType: "PAY_UP_FRONT", .offerPeriod: "P2M", .offerIdentifier: "up",
            ]),
            info: began("top", [.renewalPrice: "9990"]),
            before: subscribed
        ) { try await $0.changePlan(of: "ann", to: "top", offer: .promotional("up")) },
        Row(
            name: "T19 announced, no consent needed",
            transaction: unchanged(),
            info: stays([.renewalPrice: "5990", .priceIncreaseStatus: "1"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990)
            },
            event: { try await $0.advance(to: "2026-01-10") }
        ),
        Row(
            name: "T19 announced, consent needed",
            transaction: unchanged(),
            info: stays([.renewalPrice: "12990", .priceIncreaseStatus: "0"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 12_990)
            },
            event: { try await $0.advance(to: "2026-01-10") }
        ),
        Row(
            name: "T19 accepted",
            transaction: unchanged(),
            info: stays([.priceIncreaseStatus: "1"]),
            before: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 12_990)
                try await $0.advance(to: "2026-01-10")
            },
            event: { try await $0.acceptPriceIncrease(of: "ann") }
        ),
    ]
}
