import Testing
import TillCore

extension Scenarios {
    @Suite("A year that is billed monthly")
    struct Commitments {
        private static let year = Product.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)

        private func shop(_ stage: StageKind, _ more: Product..., grace: GracePeriod? = nil) async throws -> Scenario {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [Self.year] + more, grace: grace)
            try await shop.buys("ann", "year", monthly: true)
            return shop
        }

        @Test("Another commitment follows by itself", arguments: StageKind.all)
        func renewal(at stage: StageKind) async throws {
            let shop = try await shop(stage)
            try await shop.advance(to: "2027-02-02")
            try await shop.expect("")
            let info = try await shop.own("ann").renewalInfo.commitmentInfo
            #expect(info?.commitmentRenewalPrice == 119_880)
            #expect(try await shop.transaction(of: "ann", nil).commitmentInfo?.commitmentPrice == 119_880)
        }

        @Test("There is no grace, and ninety days of retries", arguments: StageKind.all)
        func failure(at stage: StageKind) async throws {
            let shop = try await shop(stage, grace: GracePeriod(days: 16))
            try await shop.declinesCard(of: "ann")
            try await shop.advance(to: "2026-06-01")
            try await shop.expect("")
        }

        @Test("A recovery moves the end of the commitment", arguments: StageKind.all)
        func recovery(at stage: StageKind) async throws {
            let shop = try await shop(stage)
            try await shop.advance(to: "2026-02-20")
            try await shop.declinesCard(of: "ann")
            try await shop.advance(to: "2026-03-15")
            try await shop.acceptsCard(of: "ann")
            try await shop.advance(to: "2026-04-20")
            try await shop.expect("")
        }

        @Test("An upgrade ends it at once", arguments: StageKind.all)
        func upgrade(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("year", level: 2, each: .year, at: 99_990, monthlyAt: 9_990), .plan("top", at: 19_990)]
            )
            try await shop.buys("ann", "year", monthly: true)
            try await shop.advance(to: "2026-02-10")
            try await shop.changesPlan("ann", to: "top")
            try await shop.advance(to: "2026-03-11")
            try await shop.expect("")
        }

        @Test("A downgrade waits for its end", arguments: StageKind.all)
        func downgrade(at stage: StageKind) async throws {
            let shop = try await shop(stage, .plan("low", level: 2, at: 1_990))
            try await shop.advance(to: "2026-10-10")
            try await shop.changesPlan("ann", to: "low")
            try await shop.advance(to: "2027-02-02")
            try await shop.expect("")
        }

        @Test("A refund of a past month leaves it alone; one of the current month ends it", arguments: StageKind.all)
        func refund(at stage: StageKind) async throws {
            let shop = try await shop(stage)
            try await shop.advance(to: "2026-03-10")
            try await shop.grantsRefund(to: "ann", of: "2026-02-01")
            try await shop.advance(to: "2026-04-10")
            try await shop.grantsRefund(to: "ann")
            try await shop.advance(to: "2026-08-01")
            try await shop.expect("")
        }

        @Test("Who cancels and thinks again has another commitment", arguments: StageKind.all)
        func resumed(at stage: StageKind) async throws {
            let shop = try await shop(stage)
            try await shop.advance(to: "2026-11-10")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-12-10")
            try await shop.resumes("ann")
            try await shop.advance(to: "2027-01-02")
            try await shop.expect("")
        }

        @Test("A product that is removed from sale keeps its promise to the end", arguments: StageKind.all)
        func removed(at stage: StageKind) async throws {
            let shop = try await shop(stage)
            try await shop.removesFromSale("year")
            try await shop.advance(to: "2027-02-02")
            try await shop.expect("")
        }
    }
}
