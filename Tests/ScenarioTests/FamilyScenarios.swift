import Testing
import TillCore

extension Scenarios {
    @Suite("Families")
    struct Families {
        private func family(
            at stage: StageKind,
            grace: GracePeriod? = nil,
            selling products: [Product] = [.plan(isShared: true)]
        ) async throws -> Scenario {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: products, grace: grace)
            try await shop.joins("bob", familyOf: "ann")
            return shop
        }

        @Test("Grace, retry and the end come to every member", arguments: StageKind.all)
        func trouble(at stage: StageKind) async throws {
            let shop = try await family(at: stage, grace: GracePeriod(days: 3))
            try await shop.buys("ann", "pro")
            try await shop.declinesCard(of: "ann")
            try await shop.advance(to: "2026-05-01")
            try await shop.expect("")
        }

        @Test("A recovery comes to every member", arguments: StageKind.all)
        func recovery(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.declinesCard(of: "ann")
            try await shop.advance(to: "2026-02-10")
            try await shop.acceptsCard(of: "ann")
            try await shop.advance(to: "2026-03-11")
            try await shop.expect("")
        }

        @Test("Cancelling, resuming and leaving come to every member; so does the return", arguments: StageKind.all)
        func cancelled(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-01-05")
            try await shop.resumes("ann")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-02-10")
            try await shop.buys("ann", "pro")
            try await shop.expect("")
        }

        @Test("An upgrade upgrades the members; one to what cannot be shared ends their access", arguments: StageKind.all)
        func upgrades(at stage: StageKind) async throws {
            let shop = try await family(
                at: stage,
                selling: [
                    .plan("low", level: 3, isShared: true), .plan("mid", level: 2, isShared: true), .plan("top"),
                ]
            )
            try await shop.buys("ann", "low")
            try await shop.advance(to: "2026-01-10")
            try await shop.changesPlan("ann", to: "mid")
            try await shop.advance(to: "2026-01-20")
            try await shop.changesPlan("ann", to: "top")
            try await shop.advance(to: "2026-03-01")
            try await shop.expect("")
        }

        @Test("A downgrade is chosen for every member, and begins for all", arguments: StageKind.all)
        func downgrade(at stage: StageKind) async throws {
            let shop = try await family(
                at: stage,
                selling: [.plan("top", isShared: true), .plan("low", level: 2, isShared: true)]
            )
            try await shop.buys("ann", "top")
            try await shop.changesPlan("ann", to: "low")
            try await shop.advance(to: "2026-02-05")
            try await shop.expect("")
        }

        @Test("A refund that is reversed gives the members back what they had, without a word to them", arguments: StageKind.all)
        func reversed(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-10")
            try await shop.grantsRefund(to: "ann")
            try await shop.advance(to: "2026-01-12")
            try await shop.reversesRefund(of: "ann")
            #expect(try await shop.shared("bob").status == 1)
            try await shop.advance(to: "2026-02-05")
            try await shop.expect("")
        }

        @Test("Who leaves loses access, and has it again under the same original on return", arguments: StageKind.all)
        func leaving(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.joins("cat", familyOf: "ann")
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-10")
            try await shop.leaves("bob")
            try await shop.advance(to: "2026-01-15")
            try await shop.joins("bob", familyOf: "ann")
            try await shop.advance(to: "2026-02-05")
            try await shop.expect("")
            let rows = try await shop.stage.history(of: "bob")
            #expect(Set(rows.map(\.originalTransactionId)).count == 1)
        }

        @Test("When the purchaser leaves everybody loses access, but the purchaser", arguments: StageKind.all)
        func purchaserLeaves(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-10")
            try await shop.leaves("ann")
            try await shop.advance(to: "2026-02-05")
            try await shop.expect("")
        }

        @Test("Sharing that is turned off and on again", arguments: StageKind.all)
        func sharing(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-10")
            try await shop.shares("ann", false)
            try await shop.advance(to: "2026-02-05")
            try await shop.shares("ann", true)
            try await shop.advance(to: "2026-03-05")
            try await shop.expect("")
        }

        @Test("Who joins later has what is shared from then on", arguments: StageKind.all)
        func joiningLater(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(isShared: true), .skin(isShared: true)]
            )
            try await shop.buys("ann", "pro")
            try await shop.buys("ann", "skin")
            try await shop.advance(to: "2026-01-20")
            try await shop.joins("bob", familyOf: "ann")
            try await shop.advance(to: "2026-02-05")
            try await shop.grantsRefund(to: "ann", of: "2026-01-01")
            try await shop.expect("")
        }

        @Test("Price, refund request and consumption are the purchaser's alone; an extension is for all", arguments: StageKind.all)
        func purchaserOnly(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.raisesPrice(of: "pro", to: 5_990)
            try await shop.advance(to: "2026-01-10")
            try await shop.extends("ann", days: 10, request: "sorry")
            try await shop.advance(to: "2026-01-12")
            try await shop.requestsRefund("ann")
            try await shop.sendsConsumption(about: "ann", preferring: .decline)
            try await shop.advance(to: "2026-03-01")
            try await shop.expect("")
        }

        @Test("A member's own subscription goes beside the shared one", arguments: StageKind.all)
        func own(at stage: StageKind) async throws {
            let shop = try await family(at: stage)
            try await shop.buys("ann", "pro")
            try await shop.buys("bob", "pro")
            try await shop.advance(to: "2026-01-05")
            try await shop.cancels("bob")
            try await shop.advance(to: "2026-02-05")
            try await shop.expect("")
        }
    }
}
