import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillConsole

/// What a page shows after an action has succeeded.
@Suite("Results of actions")
struct ActionResultTests {
    private static let scope = "/console/apps/com.example.shop/sandbox"

    private static func effect(_ answer: Answer) throws -> String {
        try #require(answer.text.components(separatedBy: "id=\"effect\"").dropFirst().first)
            .components(separatedBy: "</section>")[0].components(separatedBy: "<details")[0]
    }

    @Test("The result of saved settings has the labels and words of the form")
    func settings() async throws {
        let site = try TestConsole(try await TestShop())
        try await site.visit { visitor in
            let page = "\(Self.scope)/"
            let grace = try Self.effect(try await visitor.perform("updateSettings", on: page, [("grace.days", "16")]))
            #expect(grace.contains("<p>Grace period: <bdi>16 days") && !grace.contains("Payload profile"), "\(grace)")
            let declines = [("refundRule", "alwaysDecline")]
            let rule = try Self.effect(try await visitor.perform("updateSettings", on: page, declines))
            #expect(rule.contains("<p>Refund decisions: <bdi>always decline</bdi></p>"), "\(rule)")
        }
    }

    @Test("Rules, customers and payment methods are described in the words of their pages")
    func words() async throws {
        let site = try TestConsole(try await TestShop(selling: SampleCatalog.all))
        try await site.visit { visitor in
            let rule = try Self.effect(
                try await visitor.perform(
                    "addFault",
                    form: "addFault-error",
                    on: "/console/faults",
                    [("kind", "error"), ("code", "5000001"), ("limit", "1")]
                )
            )
            #expect(rule.contains("Maximum number of hits: <bdi>1</bdi>") && !rule.contains("Struck"), "\(rule)")
            #expect(try await visitor.get("/console/faults").text.contains("at most 1 hit<"))
            let ann = try await visitor.perform("createCustomer", on: "\(Self.scope)/customers", [("customer", "ann")])
            let customer = try Self.effect(ann)
            #expect(customer.contains("Payment method: <bdi>valid</bdi>") && !customer.contains("Held"), "\(customer)")
            #expect(!customer.contains("Done.") && !customer.contains("class=\"caused\""))
            let page = "\(Self.scope)/customers/ann"
            let card = try await visitor.perform("updateCustomer", form: "card", on: page, [("card", "declined")])
            #expect(try Self.effect(card).contains("Payment method changed"))
        }
    }

    @Test("A family member who gets access is not charged, and the page names the purchaser")
    func family() async throws {
        let test = try await TestShop(selling: SampleCatalog.plans)
        try await test.buy("basic", by: "bob")
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let page = "\(Self.scope)/customers/bob"
            let joined = try await visitor.perform("joinFamily", on: page, [("path.member", "ann")])
            let effect = try Self.effect(joined)
            #expect(
                joined.status == 200 && !effect.contains("Charged") && effect.contains("Access shared"),
                "\(effect)"
            )
            let ann = try await visitor.get("\(Self.scope)/customers/ann")
            #expect(ann.text.contains("<p>Shared by <a href=\"\(page)\"><bdi>bob</bdi></a>.</p>"))
        }
    }

    @Test("A failed delivery is a warning with its reason")
    func delivery() async throws {
        let console = try TestConsole(try await TestShop()).console
        var resent = ResendInfo(pending: 1)
        let id = "00000000-0000-4000-8000-000000000000"
        let pending = PendingDeliveryInfo(
            notificationUUID: id,
            notification: "TEST",
            endpoint: "primary",
            sendAttemptResult: .socketIssue
        )
        resent.settled = SettledInfo(delivered: 0, pending: 1, pendingDeliveries: [pending])
        var effect = Effect(title: "Resend", outcome: .success(resent), parameters: [:])
        effect.reasons[Effect.key(id, "primary")] = "connection refused by 127.0.0.1:9"
        let request = console.request("/console/", Session(cookie: "a"))
        let html = Templates.render("effect", ["effect": effect.value(request)])
        #expect(html.contains("class=\"effect warned\"") && html.contains("a delivery failed"))
        #expect(html.contains("Socket issue: connection refused by 127.0.0.1:9"), "\(html)")
        #expect(html.contains("Deliveries to be sent again: <bdi>1</bdi>"))
    }

    @Test("The page of a request links to the fault rule and the transaction, and shows the message of the error")
    func request() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        let site = try TestConsole(test)
        try await site.visit { visitor in
            let ann = try await visitor.get("\(Self.scope)/customers/ann")
            let id = String(try #require(ann.text.firstMatch(of: /id="t-([0-9]+)"/)?.output.1))
            let entry = RequestLogEntry(
                id: "R1",
                at: test.now,
                environment: .sandbox,
                method: "GET",
                path: "/inApps/v1/transactions/\(id)",
                status: 500,
                code: 5_000_001,
                app: TestShop.bundleID,
                explanation: "Fault f1: error 5000001."
            )
            await test.shop.requestLog.note(entry)
            let page = try await visitor.get("/console/requests/R1")
            #expect(page.text.contains("<a href=\"/console/faults#rule-f1\">f1</a>"), "\(page.text)")
            #expect(page.text.contains("<a href=\"\(Self.scope)/transactions/\(id)\">\(id)</a>"))
            let message = try #require(FaultValues.errors.first { $0.code == 5_000_001 }?.message)
            #expect(page.text.contains(message))
        }
    }

    @Test("A damaged payload is called damaged before the details")
    func damaged() async throws {
        let test = try await TestShop()
        let text = try test.shop.signingChain.signText(Array("{\"a\":1}".utf8)).text
        var segments = text.split(separator: ".").map(String.init)
        segments[1] = "AAAA" + segments[1].dropFirst(4)
        let parts = await TextDecoding.parts(of: segments.joined(separator: "."), test.shop).parts
        let shown = try #require(DecodedWords.parts(parts).first)
        guard case .text(let fault)? = shown["fault"] else {
            Issue.record("\(shown)")
            return
        }
        #expect(fault.hasPrefix("The payload was changed or damaged"))
    }
}
