import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

/// Two imported customers of one family (docs/client/import.md).
@Suite("Imported family members can be linked")
struct FamilyLinkControlTests {
    @Test("A linked copy follows the purchases of the imported purchaser")
    func linked() async throws {
        try await AppServer.run(in: .production) { source in
            _ = try await source.control.send(CreateFamily(app: source.app, organizer: "ann", members: ["bob"]))
            let bought = try await source.buy("basic", by: "ann")
            try await source.buy("skin", by: "ann")
            let (ann, bob) = (try await source.customerID("ann"), try await source.customerID("bob"))
            try await AppServer.run(in: .production) { target in
                let theirs = try await ImportControlTests.answers(bob, from: source)
                let report = try await ImportControlTests.bring("yan", theirs, to: target)
                #expect(report.assumptions.contains { $0.reason.contains("family member") })
                let purchaser = try await ImportControlTests.answers(ann, from: source)
                _ = try await ImportControlTests.bring("zoe", purchaser, to: target)
                let join = JoinFamily(app: target.app, customer: "zoe", member: "yan", linkCopies: true)
                #expect(try await target.control.refusal(of: join) == .init(409, "family_on_another_clock"))
                _ = try await target.control.send(UpdateCustomer(app: target.app, customer: "yan", clock: "zoe"))
                let joined = try await target.control.send(join)
                #expect(joined.events.count { $0 == .familyCopyLinked } == 2 && joined.notifications.isEmpty)
                #expect(try await target.history(bob) == (try await source.history(bob)))
                let later = report.now.advanced(milliseconds: 40 * 86_400_000)
                _ = try await target.control.send(AdvanceClock(app: target.app, clock: "zoe", to: later))
                let renewal = try #require(try await target.whole("/inApps/v2/history/\(ann)").transactions.last)
                let copy = try #require(try await target.whole("/inApps/v2/history/\(bob)").transactions.last)
                #expect(copy.text("transactionReason") == "RENEWAL" && copy["expiresDate"] == renewal["expiresDate"])
                #expect(copy.text("inAppOwnershipType") == "FAMILY_SHARED" && copy["expiresDate"] != nil)
                try await target.refund(try #require(renewal.text("transactionId")))
                let statuses = try await target.control.statuses(of: "yan", in: target.app)
                #expect(statuses.map(\.status) == [.revoked])
                #expect(statuses.first?.originalTransactionId != bought.transactionId)
            }
        }
    }

    @Test("Without an imported copy, nothing is linked, and the customer does not join")
    func nothingToLink() async throws {
        try await AppServer.run { server in
            try await server.buy("basic", by: "ann")
            let join = JoinFamily(app: server.app, customer: "ann", member: "bob", linkCopies: true)
            #expect(try await server.control.refusal(of: join) == .init(409, "no_external_copy"))
            let family = GetFamily(app: server.app, customer: "ann")
            #expect(try await server.control.refusal(of: family) == .init(404, "no_family"))
        }
    }
}
