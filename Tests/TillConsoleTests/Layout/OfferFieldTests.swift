import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// The offers in the forms of a customer's page.
@Suite("Forms offer what the customer can redeem")
struct OfferFieldTests {
    private static let app = AppEnvironment(TestShop.bundleID)
    private static let page = "/console/apps/com.example.shop/sandbox/customers/ann"

    private static let products: [Product] = {
        var pro = SampleCatalog.plans[1]
        pro.offers.append(.payUpFront(.winBack, "back", for: .month, at: 990))
        pro.offers.append(.payAsYouGo(.code, "SPRING", times: 3, at: 990))
        pro.offers.append(.payUpFront(.promotional, "stay", for: .month, at: 1_990))
        return [pro, SampleCatalog.plans[2], .coins]
    }()

    private func site() async throws -> TestConsole {
        let site = try TestConsole(try await TestShop(selling: Self.products))
        let control = site.console.control
        _ = try await control.send(SetClock(app: Self.app, mode: .frozen))
        _ = try await control.send(UpdateSettings(app: Self.app, rate: .custom(.calendar)))
        _ = try await control.send(CreateCustomer(app: Self.app, customer: "ann"))
        return site
    }

    /// The form to buy a product.
    private func form(_ site: TestConsole) async throws -> String {
        let html = try await site.console.page(at: Self.page, Session(cookie: "a")).html
        let form = try #require(html.components(separatedBy: "<form class=\"action\" id=\"buyProduct\"").last)
        return form.components(separatedBy: "</form>")[0]
    }

    @Test("The offers are grouped by product, with their terms, and with the reason why one is not available")
    func reasons() async throws {
        let site = try await site()
        let new = try await form(site)
        #expect(new.components(separatedBy: "<optgroup").count == 2, "a product without offers has no group")
        #expect(new.contains("<optgroup label=\"pro\" data-of=\"pro\">") && new.contains("data-follows=\"productId\""))
        #expect(new.contains("<option value=\"INTRODUCTORY\">Introductory: free for 1 week</option>"))
        #expect(new.contains("<option value=\"CODE:SPRING\">SPRING (code): 0.99 USD every month, 3 times</option>"))
        #expect(new.contains("<option value=\"WIN_BACK:back\" disabled>"))
        let never = Refusal.offerNeedsEarlierSubscription(kind: .winBack).explanation
        #expect(new.contains("</bdi>” is not available: \(never)"))
        _ = try await site.console.control.send(BuyProduct(app: Self.app, customer: "ann", productId: "pro"))
        let subscribed = try await form(site)
        #expect(subscribed.contains("<option value=\"INTRODUCTORY\" disabled>"))
        #expect(subscribed.contains(Refusal.offerNeedsNoSubscription(kind: .introductory).explanation))
        #expect(subscribed.contains("Your server must sign a promotional offer."))
    }

    @Test("A reason names the subscription group, not its ID")
    func groupName() async throws {
        let site = try await site()
        let control = site.console.control
        let group = try #require(Self.products[0].plan?.groupID)
        try await site.visit { visitor in
            let catalog = "/console/apps/com.example.shop/sandbox/catalog"
            let named = try await visitor.perform("putGroup", on: catalog, [("groupId", group), ("name", "Plans")])
            #expect(named.status == 200)
        }
        let bought = try await control.send(BuyProduct(app: Self.app, customer: "ann", productId: "pro"))
        let id = try #require(bought.transaction?.originalTransactionId)
        _ = try await control.send(CancelSubscription(app: Self.app, originalTransactionId: id))
        _ = try await control.send(AdvanceClock(app: Self.app, by: "2mo"))
        #expect(try await form(site).contains("has used an introductory offer in the group “Plans”;"))
    }

    @Test("An offer code without redemptions left is not available")
    func usedUp() async throws {
        var pro = SampleCatalog.plans[1]
        for (id, limit) in [("ONE", 1), ("TWO", 2)] {
            var code = Offer.payAsYouGo(.code, id, times: 3, at: 990)
            code.redemptionLimit = limit
            pro.offers.append(code)
        }
        let site = try TestConsole(try await TestShop(selling: [pro]))
        _ = try await site.console.control.send(CreateCustomer(app: Self.app, customer: "ann"))
        #expect(!(try await form(site)).contains("<option value=\"CODE:ONE\" disabled>"))
        for (customer, id) in [("bob", "ONE"), ("cleo", "TWO")] {
            let offer = OfferToApply(kind: .code, id: id)
            _ = try await site.console.control.send(
                BuyProduct(app: Self.app, customer: customer, productId: "pro", offer: offer)
            )
        }
        let form = try await form(site)
        #expect(form.contains("<option value=\"CODE:ONE\" disabled>"))
        #expect(form.contains("</bdi>” is not available: \(Refusal.codeUsedUp(offer: "ONE", limit: 1).explanation)"))
        #expect(form.contains("<option value=\"CODE:TWO\">"))
    }

    @Test("A rejected form keeps the offer of the selected product")
    func kept() async throws {
        let site = try await site()
        try await site.visit { visitor in
            let fields = [("productId", "pro"), ("offer:offer", "CODE:SPRING"), ("quantity", "7")]
            let refused = try await visitor.perform("buyProduct", on: Self.page, fields)
            #expect(refused.status >= 400)
            #expect(refused.text.contains("<option value=\"CODE:SPRING\" selected>"))
        }
    }

    @Test("A family is a tree with what each member shares and has")
    func family() async throws {
        let site = try await site()
        let control = site.console.control
        _ = try await control.send(BuyProduct(app: Self.app, customer: "ann", productId: "basic"))
        _ = try await control.send(CreateFamily(app: Self.app, organizer: "ann", members: ["bob", "cleo"]))
        let html = try await site.console.page(at: Self.page, Session(cookie: "a")).html
        let tree = try #require(html.components(separatedBy: "<ul class=\"family\">").last)
            .components(separatedBy: "<!--/live-->")[0]
        let members = tree.components(separatedBy: "<div class=\"member").dropFirst()
        #expect(members.count == 3)
        let organizer = try #require(members.first)
        #expect(organizer.contains("<strong><bdi>ann</bdi></strong> <span class=\"pill\">organizer</span>"))
        #expect(organizer.contains("shares <bdi>basic</bdi> <span class=\"pill good\">active</span>"))
        for member in members.dropFirst() {
            #expect(member.contains("has <bdi>basic</bdi> from <bdi>ann</bdi> <span class=\"pill good\">active</span>"))
        }
        #expect(tree.contains("<a href=\"/console/apps/com.example.shop/sandbox/customers/bob\"><bdi>bob</bdi></a>"))
    }
}
