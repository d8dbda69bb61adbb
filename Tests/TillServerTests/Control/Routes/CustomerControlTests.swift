import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillTestSupport

/// Checks customers and the lists of customers and of their transactions.
@Suite("Customers, through the control API")
struct CustomerControlTests {
    @Test(
        "A customer may have any name",
        arguments: [
            "ann bob", "ann/bob", "größe", "a?b=c&d#e", "100%", "...", "日本", "😀", String(repeating: "x", count: 128),
            "'; DROP TABLE accounts; --",
        ]
    )
    func names(_ name: String) async throws {
        try await TypedControl.run { control in
            var made = try await control.send(CreateCustomer(app: control.app, customer: name))
            #expect(made.customer == name && made.created == true)
            made.created = nil
            let shown = try await control.send(GetCustomer(app: control.app, customer: name))
            #expect(try shown.json == made.json)
            #expect(try await control.buy("coins", by: name).appTransactionId == made.appTransactionId)
        }
    }

    @Test("Creating an existing customer changes nothing")
    func existing() async throws {
        try await TypedControl.run { control in
            let path = "/v1/apps/com.example.shop/sandbox/customers"
            var statuses: [Int] = []
            for _ in 1...2 { statuses.append(try await control.ask(.post, path, #"{"customer":"bob"}"#).status) }
            #expect(statuses == [201, 200])
            let german = Storefront(code: "DEU")
            let japanese = Storefront(code: "JPN")
            var made = try await control.send(CreateCustomer(app: control.app, customer: "ann", storefront: german))
            #expect(made.storefront == german && made.hasAppTransaction && made.created == true)
            made.created = nil
            let again = try await control.send(
                CreateCustomer(app: control.app, customer: "ann", storefront: japanese, downloadsApp: false)
            )
            #expect(try again.json == made.json)
        }
    }

    @Test("A customer is shown with owned products and subscriptions")
    func shown() async throws {
        try await TypedControl.run { control in
            for product in ["solo", "skin"] { try await control.buy(product, by: "ann") }
            let bought = try await control.buy("basic", by: "ann")
            let shown = try await control.send(GetCustomer(app: control.app, customer: "ann"))
            #expect(shown.owned == ["skin", "solo"] && shown.transactions == 3 && shown.family == nil)
            #expect(shown.subscriptions.map(\.transactionId) == [bought.transactionId])
            let entry = try #require(shown.subscriptions.first)
            #expect(entry.status == .active && entry.autoRenewStatus == 1 && entry.expiresDate == bought.expiresDate)
        }
    }

    @Test("Customers are listed page by page in the order of their creation")
    func pages() async throws {
        try await TypedControl.run { control in
            let names = (0..<23).map { "customer \($0)" }
            for name in names { _ = try await control.send(CreateCustomer(app: control.app, customer: name)) }
            var seen: [String] = []
            var after: String?
            repeat {
                let page = try await control.send(ListCustomers(app: control.app, after: after, limit: 10))
                seen += page.customers.map(\.customer)
                after = page.next
                if after != nil { #expect(page.customers.count == 10) }
            } while after != nil
            #expect(seen == names)
            let production = AppEnvironment(TestShop.bundleID, .production)
            #expect(try await control.send(ListCustomers(app: production)).json.members.map(\.key) == ["customers"])
            #expect(try await control.send(ListCustomers(app: production)).customers.isEmpty)
            for query in ["limit=0", "limit=101", "limit=x", "after=x"] {
                let answer = try await control.ask(.get, "/v1/apps/com.example.shop/sandbox/customers?\(query)")
                #expect(answer.status == 400, "\(query): \(answer)")
            }
        }
    }

    @Test("A customer's transactions are listed unsigned, with the last change first")
    func transactions() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let made = try await control.send(CreateCustomer(app: app, customer: "ann"))
            let list = ListTransactions(app: app, customer: "ann")
            #expect(made.transactions == 0)
            #expect(try await control.send(list).transactions.isEmpty)
            let coins = try #require(
                try await control.send(
                    BuyProduct(app: app, customer: "ann", productId: "coins", quantity: 3, include: [.signed])
                ).transaction
            )
            let basic = try await control.buy("basic", by: "ann", offer: .noOffer)
            let rows = try await control.send(list).transactions
            #expect(rows.map(\.transactionId) == [basic.transactionId, coins.transactionId])
            for (row, bought) in zip(rows, [basic, coins]) {
                let signed = try control.payload(of: bought.signedTransactionInfo)
                let row = try row.json
                for key in ["productId", "purchaseDate", "price", "currency", "storefront", "inAppOwnershipType"] {
                    #expect(row[key] != nil && row[key] == signed[key], "\(key)")
                }
                for member in row.members where member.key != "type" {
                    if let value = signed[member.key] { #expect(value == member.value, "\(member.key)") }
                }
            }
            #expect((rows[0].expiresDate).map { $0 > rows[0].purchaseDate } == true && rows[1].quantity == 3)

            _ = try await control.send(RefundTransaction(app: app, transactionId: coins.transactionId))
            let first = try await control.send(ListTransactions(app: app, customer: "ann", limit: 1))
            let refunded = try #require(first.transactions.first)
            #expect(first.transactions.count == 1 && refunded.transactionId == coins.transactionId)
            #expect(refunded.revocationType == .refundFull && refunded.revocationDate != nil)
            let rest = try await control.send(
                ListTransactions(app: app, customer: "ann", after: first.next, limit: 1)
            )
            #expect(rest.transactions.map(\.transactionId) == [basic.transactionId] && rest.next == nil)
            let path = "/v1/apps/com.example.shop/sandbox/customers/ann/transactions"
            for (query, code) in [
                ("limit=0", "bad_query"), ("limit=x", "bad_query"), ("after=x", "bad_page"), ("after=0", "bad_page"),
            ] {
                let answer = try await control.ask(.get, "\(path)?\(query)")
                #expect(answer.status == 400 && answer.code == code, "\(query): \(answer)")
            }
        }
    }

    @Test("The device can finish a transaction, once")
    func finish() async throws {
        try await TypedControl.run { control in
            let id = try await control.buy("coins", by: "ann").transactionId
            for events in [[EventName.finished], []] {
                let finished = try await control.send(FinishTransaction(app: control.app, transactionId: id))
                #expect(finished.events == events)
            }
            // A finished consumable is not in the history of version 1.
            #expect(try await control.apple(.get, "/inApps/v1/history/\(id)").signedTransactions.isEmpty)
        }
    }
}
