import TillCore
import TillShop
import TillTestSupport

/// The lives that prove the facts about periods, failed payments, refunds and prices.
extension HiddenFact {
    // MARK: Periods

    var periodLives: HiddenLives {
        switch self {
        case .anchorDay:
            // Three months after 31 August is 30 November, and three months after the 30th or the 31st is 28 February.
            HiddenLives(products: [.plan(each: Period(3, .month))], start: "2026-08-31") {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-11-30T13:00:00Z")
                try await $0.acceptCard(of: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.advance(to: "2026-11-30T13:00:00Z")
            } future: {
                try await $0.advance(to: "2027-03-02")
            }
        case .extensions:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.extendRenewal(of: "ann", days: 5, request: "first")
                try await $0.extendRenewal(of: "ann", days: 5, request: "second")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.extendRenewal(of: "ann", days: 10, request: "first")
            } future: { shop in
                try await shop.attempt { try await shop.extendRenewal(of: "ann", days: 3, request: "third") }
            }
        case .extensionRequests:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.extendRenewal(of: "ann", days: 5, request: "first")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.extendRenewal(of: "ann", days: 5, request: "second")
            } future: {
                try await $0.extendRenewal(of: "ann", days: 3, request: "first")
            }
        default:
            // The charge is due at noon of 31 January, 24 hours before the end of the period.
            HiddenLives(environment: .production) {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.removeFromSale("pro")
                try await $0.advance(to: "2026-01-31T12:30:00Z")
                try await $0.processDue()
                try await $0.putOnSale("pro")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-01-31T12:30:00Z")
            } future: {
                try await $0.acceptCard(of: "ann")
            }
        }
    }

    // MARK: Failed payments and refunds

    var paymentLives: HiddenLives {
        switch self {
        case .endOfRetries:
            HiddenLives { shop in
                try await shop.buy("pro", by: "ann")
                try await shop.declineCard(of: "ann")
                try await shop.change { $0.rate = .sandbox1Hour }
                try await shop.advance(to: "2026-02-01T12:30:00Z")
                try await shop.change { $0.rate = .calendar }
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-01T12:30:00Z")
            } future: {
                try await $0.advance(to: "2026-02-03")
            }
        case .pastGrace:
            HiddenLives(extra: .graceDates) { shop in
                try await shop.buy("pro", by: "ann")
                try await shop.declineCard(of: "ann")
                try await shop.change { $0.grace = GracePeriod(days: 3) }
                try await shop.advance(to: "2026-02-10")
                try await shop.change { $0.grace = nil }
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-10")
            } future: { _ in
            }
        case .leftInGrace:
            HiddenLives(grace: GracePeriod(days: 16), extra: .receipts) {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-03")
                try await $0.cancelRenewal(of: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.cancelRenewal(of: "ann")
                try await $0.advance(to: "2026-02-03")
            } future: { _ in
            }
        case .reversal:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.cancelRenewal(of: "ann")
                try await $0.advance(to: "2026-05-01")
                try await $0.grantRefund(to: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-05-01")
                try await $0.grantRefund(to: "ann")
            } future: {
                try await $0.reverseRefund(to: "ann")
            }
        default:
            HiddenLives(refundRule: .alwaysGrant) {
                try await $0.buy("coins", by: "ann")
                try await $0.requestRefund(by: "ann")
            } second: {
                try await $0.buy("coins", by: "ann")
            } future: {
                try await $0.advance(to: "2026-01-03")
            }
        }
    }

    // MARK: Prices

    var priceLives: HiddenLives {
        switch self {
        case .scheduledIncrease:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, preserving: true)
            } future: {
                try await $0.advance(to: "2026-02-02")
            }
        case .increaseOfOtherPlan:
            HiddenLives(products: [.plan(), .plan("basic", level: 2, at: 1_990)]) {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
                try await $0.advance(to: "2026-01-10")
                try await $0.changePlan(of: "ann", to: "basic")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, preserving: true)
                try await $0.advance(to: "2026-01-10")
                try await $0.changePlan(of: "ann", to: "basic")
            } future: {
                try await $0.buy("pro", by: "ann")
            }
        case .priceOfIncrease:
            HiddenLives(products: [.plan(each: .week)]) {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
                try await $0.raisePrice(of: "pro", to: 6_990, preserving: true)
                try await $0.advance(to: "2026-01-02")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 6_990, consent: .notNeeded)
                try await $0.advance(to: "2026-01-02")
            } future: {
                try await $0.advance(to: "2026-02-10")
            }
        case .dateOfIncrease:
            HiddenLives(products: [.plan(each: .week)]) {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
                try await $0.advance(to: "2026-01-07")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.advance(to: "2026-01-07")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
            } future: {
                try await $0.advance(to: "2026-02-10")
            }
        default: agreementLives
        }
    }

    private var agreementLives: HiddenLives {
        switch self {
        case .consentToIncrease:
            HiddenLives(extra: .receipts) {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .required)
                try await $0.advance(to: "2026-01-07")
                try await $0.acceptPriceIncrease(of: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
                try await $0.advance(to: "2026-01-07")
            } future: { _ in
            }
        case .agreedPrice:
            HiddenLives(products: [.pro]) {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 9_990, preserving: true)
                try await $0.cancelRenewal(of: "ann")
            } second: {
                try await $0.raisePrice(of: "pro", to: 5_990, preserving: true)
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 9_990, preserving: true)
                try await $0.cancelRenewal(of: "ann")
            } future: {
                try await $0.resumeRenewal(of: "ann")
            }
        default:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 5_990, consent: .notNeeded)
                try await $0.advance(to: "2026-02-05")
            } second: {
                try await $0.raisePrice(of: "pro", to: 5_990, preserving: true)
                try await $0.buy("pro", by: "ann", at: PriceOverride(milliunits: 4_990))
                try await $0.advance(to: "2026-02-05")
            } future: {
                // Only a second increase within a year needs consent.
                try await $0.raisePrice(of: "pro", to: 6_490)
                try await $0.advance(to: "2026-03-10")
            }
        }
    }

    // MARK: Families and the app

    var familyLives: HiddenLives {
        switch self {
        case .purchaser:
            HiddenLives(products: [.plan(isShared: true)]) {
                try await Self.makeFamily(in: $0)
                try await $0.buy("pro", by: "bob")
            } second: {
                try await Self.makeFamily(in: $0)
                try await $0.buy("pro", by: "cem")
            } future: { shop in
                for row in try await shop.transactions(of: "bob") where row.ownership == .purchased {
                    try await shop.refund(row, by: "bob")
                }
            }
        case .members:
            HiddenLives(products: [.plan(isShared: true), .coins]) {
                try await $0.buy("coins", by: "ann")
                try await Self.makeFamily(in: $0)
            } second: {
                try await $0.buy("coins", by: "ann")
            } future: {
                try await $0.buy("pro", by: "bob")
            }
        default:
            HiddenLives(products: [.plan(isShared: true)], customers: ["bob"]) {
                try await $0.buy("pro", by: "ann")
                try await $0.setSharing(false, by: "ann")
            } second: {
                try await $0.buy("pro", by: "ann")
            } future: {
                try await $0.join("bob", familyOf: "ann")
            }
        }
    }

    private static func makeFamily(in shop: ShopBackend) async throws {
        for customer in ["ann", "cem"] { try await shop.join(customer, familyOf: "bob") }
    }

    var appLives: HiddenLives {
        switch self {
        case .settings:
            HiddenLives { shop in
                try await shop.buy("pro", by: "ann")
                try await shop.change { $0.grace = GracePeriod(days: 16) }
            } second: {
                try await $0.buy("pro", by: "ann")
            } future: {
                try await $0.declineCard(of: "ann")
                try await $0.advance(to: "2026-02-02")
            }
        case .otherProducts:
            HiddenLives {
                try await $0.buy("coins", by: "ann")
                try await $0.put(.plan("plus"))
            } second: {
                try await $0.buy("coins", by: "ann")
            } future: { shop in
                try await shop.attempt { try await shop.buy("plus", by: "ann") }
            }
        default:
            HiddenLives {
                try await $0.buy("pro", by: "ann")
                try await $0.raisePrice(of: "pro", to: 9_990, preserving: true)
            } second: {
                try await $0.buy("pro", by: "ann")
            } future: {
                try await $0.cancelRenewal(of: "ann")
                try await $0.advance(to: "2026-02-02")
                try await $0.buy("pro", by: "ann")
            }
        }
    }
}
