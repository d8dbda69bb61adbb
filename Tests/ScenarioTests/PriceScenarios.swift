import Testing
import TillCore

extension Scenarios {
    @Suite("Prices that change")
    struct Prices {
        @Test("A small rise needs a notice twenty-seven days ahead, and no consent", arguments: StageKind.all)
        func notice(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            for customer in ["ann", "bob"] { try await shop.buys(customer, "pro") }
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.refuses("no_price_increase") { try await shop.acceptsPrice("ann") }
            try await shop.advance(to: "2026-01-10")
            try await shop.cancels("bob")
            try await shop.advance(to: "2026-03-02")
            try await shop.buys("cat", "pro")
            try await shop.expect("")
        }

        @Test("More than half of less than five dollars needs no consent; nor more than five of much", arguments: StageKind.all)
        func limits(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("cheap", at: 4_990, group: "1"), .plan("dear", at: 19_990, group: "2")]
            )
            try await shop.buys("ann", "cheap")
            try await shop.buys("ann", "dear")
            // Exactly five dollars more, and exactly half as much again.
            try await shop.raisesPrice(of: "cheap", to: 9_990)
            try await shop.raisesPrice(of: "dear", to: 29_985)
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }

        @Test("A yearly price needs consent from fifty dollars more, sixty days ahead", arguments: StageKind.all)
        func yearly(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("gold", each: .year, at: 49_990, group: "1"), .plan("tin", each: .year, at: 19_990, group: "2")]
            )
            try await shop.buys("ann", "gold")
            try await shop.buys("ann", "tin")
            try await shop.raisesPrice(of: "gold", to: 109_990)
            try await shop.raisesPrice(of: "tin", to: 59_990)
            try await shop.advance(to: "2027-01-02")
            try await shop.expect("")
        }

        @Test("A weekly price needs consent a week ahead", arguments: StageKind.all)
        func weeklyConsent(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan(each: .week)])
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-03")
            try await shop.raisesPrice(of: "pro", to: 5_990, consent: .required)
            try await shop.advance(to: "2026-01-23")
            try await shop.expect("")
        }

        @Test("A weekly price that needs no consent rises on the fourth renewal", arguments: StageKind.all)
        func weeklyNotice(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan(each: .week)])
            try await shop.buys("ann", "pro")
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.advance(to: "2026-02-06")
            try await shop.expect("")
        }

        @Test("A rise that comes too late for one renewal is told before the next", arguments: StageKind.all)
        func late(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-20")
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.advance(to: "2026-03-02")
            try await shop.expect("")
        }

        @Test("A preserved price stays for subscribers, and is gone with the subscription", arguments: StageKind.all)
        func preserved(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            try await shop.buys("ann", "pro")
            try await shop.raisesPrice(of: "pro", to: 5_990, preserving: true)
            try await shop.buys("bob", "pro")
            try await shop.advance(to: "2026-02-05")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-03-05")
            try await shop.buys("ann", "pro")
            try await shop.expect("")
        }

        @Test("A lower price holds from the next renewal on, without a word", arguments: StageKind.all)
        func decrease(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            try await shop.buys("ann", "pro")
            try await shop.lowersPrice(of: "pro", to: 3_990)
            try await shop.advance(to: "2026-03-02")
            try await shop.expect("")
        }

        @Test("A second rise within a year needs consent; one later does not", arguments: StageKind.all)
        func second(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            try await shop.buys("ann", "pro")
            try await shop.raisesPrice(of: "pro", to: 5_490)
            try await shop.advance(to: "2026-11-20")
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.advance(to: "2026-12-10")
            try await shop.acceptsPrice("ann")
            try await shop.advance(to: "2028-01-02")
            try await shop.raisesPrice(of: "pro", to: 6_490)
            try await shop.advance(to: "2028-03-02")
            let told = try await shop.stage.told().filter { $0.type == "PRICE_INCREASE" }
            #expect(told.map(\.words) == [
                "PRICE_INCREASE ACCEPTED", "PRICE_INCREASE PENDING", "PRICE_INCREASE ACCEPTED", "PRICE_INCREASE ACCEPTED",
            ])
            #expect(try await shop.transaction(of: "ann", nil).price == 6_490)
        }

        @Test("Where the law asks for it, every rise needs consent", arguments: StageKind.all)
        func law(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()]) {
                $0.storefrontsAskingConsent = ["KOR"]
            }
            try await shop.opens("kim", in: "KOR")
            for customer in ["ann", "kim"] { try await shop.buys(customer, "pro") }
            try await shop.raisesPrice(of: "pro", to: 5_490)
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }

        @Test("A change of plan leaves the rise behind", arguments: StageKind.all)
        func left(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("top"), .plan("low", level: 2, at: 1_990)]
            )
            try await shop.buys("ann", "top")
            try await shop.raisesPrice(of: "top", to: 12_990)
            try await shop.advance(to: "2026-01-10")
            try await shop.changesPlan("ann", to: "low")
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }

        @Test("A trial's end may be dearer, when it was told in time", arguments: StageKind.all)
        func afterTrial(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan(offers: .free(.introductory))])
            try await shop.buys("ann", "pro")
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.advance(to: "2026-02-02")
            try await shop.expect("")
        }
    }
}
