import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole

/// The content and actions of a customer's page.
@Suite("Customer page")
struct CustomerPageTests {
    private static let app = AppEnvironment(TestShop.bundleID)
    private static let page = "/console/apps/com.example.shop/sandbox/customers/ann"
    private var page: String { Self.page }

    /// A shop in which ann has bought a subscription.
    private func site(_ products: [Product] = SampleCatalog.plans) async throws -> TestConsole {
        let test = try await TestShop(selling: products)
        let site = try TestConsole(test)
        _ = try await site.console.control.send(SetClock(app: Self.app, mode: .frozen))
        _ = try await site.console.control.send(UpdateSettings(app: Self.app, rate: .custom(.calendar)))
        _ = try await site.console.control.send(BuyProduct(app: Self.app, customer: "ann", productId: "pro"))
        return site
    }

    private func advance(_ site: TestConsole, by length: String) async throws {
        _ = try await site.console.control.send(AdvanceClock(app: Self.app, by: length))
    }

    @Test("The page has a timeline for each width, and each timeline shows a renewal")
    func picture() async throws {
        let site = try await site()
        let before = try await site.console.page(at: page, Session(cookie: "a"))
        #expect(before.html.components(separatedBy: "<svg").count == Timeline.widths.count + 1)
        #expect(before.html.components(separatedBy: "tl-bar tl-paid").count == 1)
        try await advance(site, by: "1mo")
        let after = try await site.console.page(at: page, Session(cookie: "a"))
        #expect(after.html.contains("tl-bar tl-trial") && after.html.contains("tl-bar tl-paid"))
        let regions = LiveRegions.of(after.html).map(\.id)
        #expect(Set(regions).isSuperset(of: ["about", "family", "subscriptions", "waiting", "notifications", "rows"]))
        #expect(Set(regions).count == regions.count)
    }

    @Test("The actions depend on the subscription's state")
    func buttons() async throws {
        let site = try await site()
        let page = page
        try await site.visit { visitor in
            let subscribed = try await visitor.get(page)
            let id = try #require(Self.original(in: subscribed.text))
            let form = "buttons-\(id)"
            #expect(subscribed.text.contains(">Cancel</button>"))
            #expect(!subscribed.text.contains(">Resume</button>"))
            #expect(!subscribed.text.contains(">Accept price increase</button>"))
            let fields = ["path.originalTransactionId", "path.transactionId"]
                .compactMap { name in subscribed.field(name, in: form).map { (name, $0) } }
            #expect(fields.count == 2)
            let cancelled = try await visitor.perform("cancelSubscription", form: form, on: page, fields)
            #expect(cancelled.text.contains("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"))
            #expect(cancelled.text.contains(">Resume</button>") && cancelled.text.contains("and does not renew"))
            let effect = try #require(cancelled.text.components(separatedBy: "id=\"effect\"").last)
            #expect(effect.components(separatedBy: "</section>")[0].contains("It does not renew."))
            let refunded = try await visitor.perform(
                "refundTransaction",
                form: form,
                on: page,
                fields + [("share", "UNUSED")]
            )
            #expect(refunded.text.contains("id=\"effect\""))
            #expect(refunded.text.contains(">Reverse refund</button>"))
            #expect(refunded.text.contains(">Subscribe again</button>"))
            #expect(refunded.text.contains("tl-revoked"))
        }
    }

    private static func original(in html: String) -> String? {
        html.range(of: "id=\"subscription-").map { String(html[$0.upperBound...].prefix { $0.isNumber }) }
    }

    @Test("Each button of a row calls its own operation")
    func row() async throws {
        let site = try await site()
        let html = try await site.console.page(at: page, Session(cookie: "a")).html
        let operations = [
            UpdateCustomer.operationID, CancelSubscription.operationID, RefundTransaction.operationID,
            RequestRefund.operationID, FinishTransaction.operationID,
        ]
        for operation in operations {
            #expect(html.contains("formaction=\"/console/actions/\(operation)\""), "\(operation)")
            #expect(site.console.control[operation] != nil)
        }
        #expect(html.contains("name=\"card\" value=\"declined\""))
        // There is no button for the current status of the payment method.
        #expect(!html.contains("name=\"card\" value=\"accepted\""))
    }

    @Test("Pending purchases and refund requests are shown until they are decided")
    func waiting() async throws {
        let site = try await site()
        let page = page
        try await site.visit { visitor in
            _ = try await visitor.perform("updateCustomer", form: "card", on: page, [("asksToBuy", "true")])
            let held = try await visitor.perform("buyProduct", on: page, [("productId", "year")])
            #expect(held.text.contains("Pending purchases") && held.text.contains("parental approval"))
            let form = "held-1"
            let number = try #require(held.field("path.number", in: form))
            let approved = try await visitor.perform("approvePurchase", form: form, on: page, [("path.number", number)])
            #expect(approved.text.contains("DID_CHANGE_RENEWAL_PREF/UPGRADE"))
            #expect(!approved.text.contains("Pending purchases"))
            let id = try #require(Self.original(in: approved.text))
            let transaction = try #require(approved.field("path.transactionId", in: "buttons-\(id)"))
            let asked = try await visitor.perform(
                "requestRefund",
                form: "buttons-\(id)",
                on: page,
                [("path.transactionId", transaction), ("reason", "UNINTENDED_PURCHASE")]
            )
            #expect(asked.text.contains("CONSUMPTION_REQUEST"))
            #expect(asked.text.contains("Refund requests"))
        }
    }

    @Test("A transaction page shows signed data and makes partial refunds")
    func transaction() async throws {
        let site = try await site()
        try await advance(site, by: "1mo")
        let test = site.test
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let account = try #require(
            try await test.shop.storage.account(of: CustomerName(scope, "ann"))
        )
        let id = account.subscriptions[0].latestTransaction.id.wireForm
        let page = "/console/apps/com.example.shop/sandbox/transactions/\(id)"
        try await site.visit { visitor in
            let seen = try await visitor.get(page)
            #expect(seen.status == 200)
            #expect(seen.text.contains("&quot;transactionId&quot;: &quot;\(id)&quot;"))
            #expect(seen.text.contains("&quot;autoRenewProductId&quot;: &quot;pro&quot;"))
            #expect(seen.text.contains("href=\"/console/apps/com.example.shop/sandbox/catalog/pro\""))
            #expect(seen.text.contains("<dt>Finished</dt>") && seen.text.contains("notifications?customer=ann\""))
            let fields = [("path.transactionId", id), ("share", "PART"), ("percentage", "25000")]
            let refunded = try await visitor.perform("refundTransaction", on: page, fields)
            #expect(refunded.text.contains("REFUND") && refunded.text.contains("refund prorated"))
        }
    }

    @Test(
        "A transaction page shows the stored transaction with every payload profile",
        arguments: ["fair", "sparse", "version:1.0", "tomorrow:7"]
    )
    func transactionOfProfile(_ profile: String) async throws {
        let site = try await site()
        try await advance(site, by: "1mo")
        _ = try await site.console.control.send(UpdateSettings(app: Self.app, payloadProfile: profile))
        let name = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        func account(_ customer: String) async throws -> Account {
            try #require(try await site.test.shop.storage.account(of: CustomerName(name, customer)))
        }
        let id = try await account("ann").subscriptions[0].latestTransaction.id.wireForm
        _ = try await site.console.control.send(CreateFamily(app: Self.app, organizer: "ann", members: ["bob"]))
        let copy = try #require(try await account("bob").sharedSubscriptions.first).latestTransaction.id.wireForm
        let pages = "/console/apps/com.example.shop/sandbox/transactions/"
        try await site.visit { visitor in
            func facts(_ answer: Answer) -> String {
                let list = answer.text.components(separatedBy: "<h2 id=\"facts-title\">").last ?? ""
                return list.components(separatedBy: "</dl>")[0]
            }
            let bought = try await visitor.get(pages + id)
            #expect(bought.status == 200)
            for words in ["Auto-Renewable Subscription", "renewal", "purchased", "USA"] {
                #expect(facts(bought).lowercased().contains(words.lowercased()), "\(words)")
            }
            #expect(bought.text.contains(">Refund</button>") && !bought.text.contains(">Reverse refund</button>"))
            let fields = [("path.transactionId", id), ("share", "PART"), ("percentage", "25000")]
            let refunded = try await visitor.perform("refundTransaction", on: pages + id, fields)
            #expect(refunded.text.contains(">Reverse refund</button>"))
            #expect(!refunded.text.contains(">Refund</button>"))
            #expect(facts(refunded).contains("refund prorated, 25 %"))
            let reversed = try await visitor.perform("reverseRefund", on: pages + id, [("path.transactionId", id)])
            #expect(reversed.text.contains(">Refund</button>"))
            let shared = try await visitor.get(pages + copy)
            #expect(shared.text.contains("This transaction is shared through Family Sharing."))
            #expect(!shared.text.contains(">Refund</button>"))
            #expect(facts(shared).lowercased().contains("family shared"))
        }
    }

    @Test("A price increase is shown only while the subscription will renew with the plan")
    func priceIncrease() async throws {
        let site = try await site()
        let page = page
        let (app, control) = (Self.app, site.console.control)
        func subscription() async throws -> SubscriptionInfo {
            try #require(try await control.send(GetCustomer(app: app, customer: "ann")).subscriptions.first)
        }
        let original = try await subscription().originalTransactionId
        func see() async throws -> (html: String, summary: String) {
            let html = try await site.console.page(at: page, Session(cookie: "a")).html
            return (html, try await subscription().summary)
        }
        _ = try await control.send(RaisePrice(app: app, productId: "pro", price: 19_990, consent: .required))
        try await advance(site, by: "1mo")
        let stays = try await see()
        #expect(stays.html.contains("<dt>Price increase</dt>"))
        #expect(stays.html.contains(">Accept price increase</button>"))
        #expect(stays.summary.contains("waits for the customer's consent"))
        // Change to another plan, change back, then cancel.
        let basic = ChangeSubscription(app: app, originalTransactionId: original, productId: "basic")
        _ = try await control.send(basic)
        let changes = try await see()
        #expect(!changes.html.contains("<dt>Price increase</dt>"))
        #expect(!changes.html.contains(">Accept price increase</button>"))
        #expect(!changes.summary.contains("consent") && !changes.summary.contains("19.99"))
        let pro = ChangeSubscription(app: app, originalTransactionId: original, productId: "pro")
        _ = try await control.send(pro)
        let back = try await see()
        #expect(back.html.contains("<dt>Price increase</dt>") && back.html.contains(">Accept price increase</button>"))
        _ = try await control.send(CancelSubscription(app: app, originalTransactionId: original))
        let leaves = try await see()
        #expect(!leaves.html.contains("<dt>Price increase</dt>"))
        #expect(!leaves.summary.contains("consent") && !leaves.summary.contains("19.99"))
    }

    @Test("A page of older transactions has a timeline of the same time span")
    func past() async throws {
        let site = try await site()
        try await advance(site, by: "2y")
        let html = try await site.console.page(at: page, Session(cookie: "a")).html
        let link = try #require(html.range(of: "?after="))
        let position = html[link.upperBound...].prefix { $0.isNumber }
        let past = try await site.console.page(at: "\(page)?after=\(position)", Session(cookie: "a")).html
        #expect(past.contains("Newest transactions"))
        #expect(past.contains("<svg") && !past.contains("tl-now-pill"))
        #expect(!past.contains(">Cancel</button>"))
        #expect(!past.contains("No access"))
        // A transaction that changed late stays on the timeline of its own time span.
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let storage = site.test.shop.storage
        let account = try #require(
            try await storage.account(of: CustomerName(scope, "ann"))
        )
        let rows = try await storage.history(HistoryQuery(account: account.id, limit: 5)).rows
        let id = rows[2].id.wireForm
        _ = try await site.console.control.send(
            RefundTransaction(app: Self.app, transactionId: id, share: .part, percentage: 10_000)
        )
        let later = try await site.console.page(at: "\(page)?after=\(position)", Session(cookie: "a")).html
        #expect(!later.contains("No access"))
        #expect(later.contains("Refunded by 10 %"))
    }

    @Test("The timeline shows old notifications, and the page reports which notifications it omits")
    func manyNotifications() async throws {
        let site = try await site()
        let (app, control) = (Self.app, site.console.control)
        _ = try await control.send(UpdateSettings(app: app, grace: GracePeriodInfo(days: 16)))
        _ = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .declined))
        try await advance(site, by: "10d")
        _ = try await control.send(UpdateCustomer(app: app, customer: "ann", card: .accepted))
        let first = try await site.console.page(at: page, Session(cookie: "a")).html
        let id = try #require(Self.original(in: first))
        #expect(first.contains("tl-grace"))
        func toggle(_ times: Int) async throws {
            for _ in 0..<times {
                _ = try await control.send(CancelSubscription(app: app, originalTransactionId: id))
                _ = try await control.send(ResumeSubscription(app: app, originalTransactionId: id))
            }
        }
        try await toggle(60)
        let second = try await site.console.page(at: page, Session(cookie: "a")).html
        #expect(second.contains("tl-grace") && second.contains("tl-mark-bought"))
        #expect(!second.contains("No access") && !second.contains("The timeline omits notifications"))
        try await toggle(150)
        let third = try await site.console.page(at: page, Session(cookie: "a")).html
        #expect(third.contains("The timeline omits notifications"))
        #expect(!third.contains("No access"))
    }

    @Test("Joining and leaving a family show the notifications")
    func families() async throws {
        let site = try await site()
        let page = page
        try await site.visit { visitor in
            let joined = try await visitor.perform("joinFamily", on: page, [("path.member", "bob")])
            #expect(joined.text.contains("SUBSCRIBED/INITIAL_BUY</a>"), "\(joined.text)")
            let bob = "/console/apps/com.example.shop/sandbox/customers/bob"
            let left = try await visitor.perform("leaveFamily", form: "leave", on: bob, [])
            #expect(left.text.contains("REVOKE</a>"), "\(left.text)")
        }
    }

    @Test("Bulk operations are on the environment page with their results")
    func jobs() async throws {
        let site = try await site()
        let environment = "/console/apps/com.example.shop/sandbox/"
        try await site.visit { visitor in
            let none = try await visitor.get(environment)
            #expect(none.text.contains("No bulk operations yet."))
            // A free period is not extended.
            try await advance(site, by: "1mo")
            let extended = try await visitor.perform(
                "extendAll",
                on: environment,
                [("productId", "pro"), ("days", "10")]
            )
            #expect(extended.status == 200, "\(extended.text)")
            let shown = try await visitor.get(environment)
            #expect(shown.text.contains(">Extension<") && shown.text.contains("1 customer<"), "\(shown.text)")
            #expect(try await visitor.get(page).text.contains(">extended<"))
        }
    }

    @Test("Manual notifications are listed, but do not displace other notifications from the timeline")
    func byHand() async throws {
        let site = try await site()
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let storage = site.test.shop.storage
        let account = try #require(
            try await storage.account(of: CustomerName(scope, "ann"))
        )
        let row = account.subscriptions[0].latestTransaction
        for _ in 0..<410 { _ = try await site.test.shop.trigger(Notice(.refund), about: row, of: account) }
        let html = try await site.console.page(at: page, Session(cookie: "a")).html
        #expect(html.contains("tl-mark-bought") && !html.contains("tl-mark-refund"))
        #expect(!html.contains("The timeline omits notifications"))
        #expect(html.components(separatedBy: ">REFUND</a>").count == 11)
    }

    @Test("A product name with markup is text on the timeline")
    func hostile() async throws {
        var product = SampleCatalog.plans[1]
        product.referenceName = "<script>alert(1)</script> اشتراك 月額 🍎"
        let site = try await site([product])
        let html = try await site.console.page(at: page, Session(cookie: "a")).html
        #expect(!html.contains("<script>alert"))
        #expect(html.contains("اشتراك 月額 🍎"))
    }
}
