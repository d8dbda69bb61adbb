import Testing
import TillCore

extension Scenarios {
    @Suite("The twelve acceptance scenarios")
    struct Acceptance {
        @Test("A1: in Apple's sandbox a trial is followed by twelve renewals and the end", arguments: StageKind.all)
        func sandboxYear(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .freeWeek)],
                rate: .sandbox
            ) { $0.renewalCap = 12 }
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-02")
            try await shop.expect("")
        }

        @Test("A2: an upgrade begins at once and is told once, without a refund", arguments: StageKind.all)
        func upgrade(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("basic", level: 2), .plan("top", level: 1, each: .year, at: 39_990)]
            )
            try await shop.buys("ann", "basic")
            try await shop.advance(to: "2026-01-10")
            try await shop.changesPlan("ann", to: "top")
            try await shop.advance(to: "2026-06-01")
            try await shop.expect("")
            let history = try await shop.stage.history(of: "ann")
            #expect(history.map(\.isUpgraded) == [true, nil])
            #expect(history[0].revocationDate == nil && history[0].expiresDate == shop.instant("2026-02-01"))
        }

        @Test("A3: a downgrade is chosen, withdrawn, chosen again, and begins with the next period", arguments: StageKind.all)
        func downgrade(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("top"), .plan("basic", level: 2, at: 1_990)]
            )
            try await shop.buys("ann", "top")
            try await shop.advance(to: "2026-01-05")
            try await shop.changesPlan("ann", to: "basic")
            try await shop.advance(to: "2026-01-06")
            try await shop.changesPlan("ann", to: "top")
            try await shop.advance(to: "2026-01-07")
            try await shop.changesPlan("ann", to: "basic")
            try await shop.advance(to: "2026-02-15")
            try await shop.expect("")
            #expect(try await shop.transaction(of: "ann", nil).transactionReason == "RENEWAL")
        }

        @Test("A4: who cancels, thinks again, cancels and leaves comes back by a win-back offer", arguments: StageKind.all)
        func winBack(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan(offers: .payUpFront(.winBack, "back", for: .month, at: 990))]
            )
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-01-05")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-01-06")
            try await shop.resumes("ann")
            try await shop.advance(to: "2026-01-07")
            try await shop.cancels("ann")
            try await shop.advance(to: "2026-02-10")
            try await shop.buys("ann", "pro", offer: .winBack("back"))
            try await shop.advance(to: "2026-03-15")
            try await shop.expect("")
        }

        @Test("A5: a card that is mended within grace keeps the billing cycle", arguments: StageKind.all)
        func graceRecovered(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan()],
                grace: GracePeriod(days: 16)
            )
            try await shop.buys("ann", "pro")
            try await shop.declinesCard(of: "ann")
            try await shop.advance(to: "2026-02-10")
            try await shop.acceptsCard(of: "ann")
            try await shop.advance(to: "2026-03-02")
            try await shop.expect("")
        }

        @Test("A6: a card that is mended after grace begins a new cycle; one that never is ends it", arguments: StageKind.all)
        func graceOver(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan()],
                grace: GracePeriod(days: 16)
            )
            for customer in ["ann", "bob"] {
                try await shop.buys(customer, "pro")
                try await shop.declinesCard(of: customer)
            }
            // The thirtieth day after the end of the period.
            try await shop.advance(to: "2026-03-03")
            try await shop.acceptsCard(of: "ann")
            try await shop.advance(to: "2026-04-30")
            try await shop.expect("")
            let bob = try await shop.own("bob").renewalInfo
            #expect(bob.expirationIntent == 2 && bob.autoRenewStatus == 0 && bob.isInBillingRetryPeriod == false)
        }

        @Test("A7: three answers to a price that needs consent", arguments: StageKind.all)
        func consent(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
            for customer in ["ann", "bob", "cat"] { try await shop.buys(customer, "pro") }
            try await shop.advance(to: "2026-01-02")
            // More than half, and more than five dollars a month.
            try await shop.raisesPrice(of: "pro", to: 12_990)
            try await shop.advance(to: "2026-01-10")
            try await shop.acceptsPrice("ann")
            try await shop.cancels("cat")
            try await shop.advance(to: "2026-03-02")
            try await shop.expect("")
        }

        @Test("A8: a refund of half, its reversal, and a second request that is declined", arguments: StageKind.all)
        func coins(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.coins])
            try await shop.buys("ann", "coins", quantity: 3)
            try await shop.advance(to: "2026-01-02")
            try await shop.requestsRefund("ann", because: .unsatisfiedWithPurchase)
            try await shop.advance(to: "2026-01-02 13:00")
            try await shop.sendsConsumption(about: "ann", preferring: .grantProrated, consumed: 50_000)
            try await shop.advance(to: "2026-01-05")
            try await shop.reversesRefund(of: "ann")
            try await shop.advance(to: "2026-01-06")
            try await shop.requestsRefund("ann", because: .other)
            try await shop.sendsConsumption(about: "ann", preferring: .decline)
            try await shop.advance(to: "2026-01-10")
            try await shop.expect("")
            #expect(try await shop.transaction(of: "ann", nil).price == 2_970)
        }

        @Test("A9: a family goes with the purchase, through renewal and refund", arguments: StageKind.all)
        func family(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan(isShared: true)])
            try await shop.joins("bob", familyOf: "ann")
            try await shop.joins("cat", familyOf: "ann")
            try await shop.buys("ann", "pro")
            try await shop.advance(to: "2026-02-05")
            try await shop.grantsRefund(to: "ann", because: .issueInApp)
            try await shop.advance(to: "2026-06-01")
            try await shop.expect("")
        }

        @Test("A10: one extension, then one for everybody, which a trial cannot have", arguments: StageKind.all)
        func extensions(at stage: StageKind) async throws {
            let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan(offers: .freeWeek)])
            try await shop.buys("ann", "pro")
            try await shop.buys("bob", "pro", offer: .none)
            try await shop.advance(to: "2026-01-10")
            try await shop.extends("ann", days: 30, request: "one")
            try await shop.advance(to: "2026-01-12")
            try await shop.buys("cat", "pro")
            try await shop.massExtends("pro", days: 7, request: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
            try await shop.advance(to: "2026-02-01")
            try await shop.expect("")
        }

        @Test("A11: who cancels a commitment in the third month pays it to its end", arguments: StageKind.all)
        func commitment(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)]
            )
            try await shop.buys("ann", "year", monthly: true)
            try await shop.advance(to: "2026-03-10")
            try await shop.cancels("ann")
            let info = try await shop.own("ann").renewalInfo
            #expect(info.autoRenewStatus == 1 && info.commitmentInfo?.commitmentAutoRenewStatus == 0)
            try await shop.advance(to: "2027-02-01")
            try await shop.expect("")
        }

        @Test("A12: a code waits for the next period; an upgrade by a promotional offer begins at once", arguments: StageKind.all)
        func offers(at stage: StageKind) async throws {
            let shop = try await Scenario(
                at: stage,
                on: "2026-01-01",
                selling: [
                    .plan("basic", level: 2, offers: .payUpFront(.code, "SPRING", for: .month, at: 990)),
                    .plan("top", at: 9_990, offers: .payUpFront(.promotional, "stay", for: Period(2, .month), at: 5_990)),
                ]
            )
            try await shop.buys("ann", "basic")
            try await shop.advance(to: "2026-01-10")
            try await shop.buys("ann", "basic", offer: .code("SPRING"))
            try await shop.advance(to: "2026-02-10")
            try await shop.changesPlan("ann", to: "top", offer: .promotional("stay"))
            try await shop.advance(to: "2026-05-01")
            try await shop.expect("")
        }
    }
}
