import Foundation
import Testing
import TillControl
import TillCore
import TillJSON
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole

/// The pages of notifications and requests.
@Suite("Pages of notifications and requests")
struct NotificationPageTests {
    private let scope = "/console/apps/com.example.shop/sandbox"

    /// A shop in which ann has bought a subscription.
    private func site() async throws -> (TestConsole, Transaction) {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy(Product.pro.id, by: "ann")
        return (try TestConsole(test), row)
    }

    private func uuid(in html: String) throws -> String {
        let link = try #require(html.range(of: "/sandbox/notifications/"))
        return String(html[link.upperBound...].prefix(36))
    }

    @Test("Notifications are listed and found by filters")
    func list() async throws {
        let (site, row) = try await site()
        let scope = scope
        try await site.visit { visitor in
            let all = try await visitor.get("\(scope)/notifications")
            #expect(all.status == 200)
            #expect(all.text.contains("SUBSCRIBED") && all.text.contains("INITIAL_BUY"))
            #expect(all.text.contains("/transactions/\(row.id.wireForm)\""))
            #expect(all.text.contains("not sent (no endpoint)"))
            for query in [
                "type=SUBSCRIBED%2FINITIAL_BUY&customer=ann", "type=SUBSCRIBED",
                "from=2025-12-31T00%3A00&to=2026-01-02T00%3A00%3A00", "customer=ann&type=&from=&to=",
            ] {
                let found = try await visitor.get("\(scope)/notifications?\(query)")
                #expect(found.text.contains("<th scope=\"row\"><a"), "\(query)")
                #expect(found.text.contains("Show all"), "\(query)")
            }
            for query in [
                "type=DID_RENEW", "type=SUBSCRIBED%2FRESUBSCRIBE", "from=2026-02-01T00%3A00", "to=2025-01-01T00%3A00",
                "failed=true",
            ] {
                let found = try await visitor.get("\(scope)/notifications?\(query)")
                #expect(!found.text.contains("<th scope=\"row\"><a"), "\(query)")
            }
            for query in ["customer=unknown", "from=soon", "type=EXPIRED%2F", "type=%3Cscript%3E"] {
                let odd = try await visitor.get("\(scope)/notifications?\(query)")
                #expect(odd.status == 200, "\(query)")
                #expect(!odd.text.contains("<script>"))
            }
            #expect(try await visitor.get("\(scope)/notifications?after=x").status == 400)
        }
    }

    @Test("Undelivered notifications of all endpoints are listed once, page by page")
    func failing() async throws {
        let (site, row) = try await site()
        let place = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let app = AppEnvironment(TestShop.bundleID)
        let scope = scope
        let storage = site.test.shop.storage
        for name in ["first", "second"] {
            let endpoint = SetEndpoint(app: app, endpoint: name, url: "http://127.0.0.1:1/x")
            _ = try await site.console.control.send(endpoint)
        }
        let account = try #require(
            try await storage.account(of: CustomerName(AccountScope(environment: .sandbox, app: place.app), "ann"))
        )
        var wanted: [String] = []
        for number in 0..<9 {
            let entry = try await site.test.shop.trigger(Notice(.refund), about: row, of: account)
            var deliveries = try await storage.deliveries(of: entry.id)
            #expect(deliveries.count == 2)
            // Of every three notifications, one fails at both endpoints, one fails only at the second, and one is
            // delivered to both.
            for index in deliveries.indices {
                let isFailing = number % 3 == 0 || (number % 3 == 1 && deliveries[index].endpoint.contains("second"))
                deliveries[index].isDelivered = !isFailing
                let result: SendAttemptResult = isFailing ? .timedOut : .success
                deliveries[index].attempts = [SendAttempt(date: entry.signedDate, result: result, milliseconds: 1)]
            }
            try await storage.record(deliveries)
            if number % 3 < 2 { wanted.append(entry.uuid) }
        }
        var found: [String] = []
        var after: String?
        repeat {
            let request = ListNotifications(app: app, failed: true, after: after, limit: 2)
            let list = try await site.console.control.send(request)
            found += list.notifications.map(\.notificationUUID)
            after = list.next
        } while after != nil
        #expect(found.sorted() == wanted.sorted())
        // A failed delivery to `primary` stays listed after the endpoint is deleted.
        let lost = try await site.test.shop.trigger(Notice(.refund), about: row, of: account)
        var delivery = Delivery(of: lost, to: "primary", clock: ClockName(place), due: lost.signedDate)
        delivery.attempts = [SendAttempt(date: lost.signedDate, result: .timedOut, milliseconds: 1)]
        delivery.due = nil
        try await storage.commit([Change(deliveries: [delivery])])[0].get()
        let failing = try await site.console.control.send(ListNotifications(app: app, failed: true, limit: 1))
        #expect(failing.notifications.first?.notificationUUID == lost.uuid)
        try await site.visit { visitor in
            let environment = try await visitor.get("\(scope)/")
            #expect(environment.text.contains("to second: Timed out"), "\(environment.text)")
            let odd = [("from:instant", "2026-02-01T00:00"), ("to:instant", "2026-01-01T00:00")]
            let refused = try await visitor.perform("resendNotifications", on: "\(scope)/notifications", odd)
            #expect(refused.status == 400 && refused.text.contains("Created from (UTC) must not be later than to"))
        }
    }

    @Test("A delivery without a response is shown as counted as delivered", arguments: [true, false])
    func counted(isAnswered: Bool) throws {
        let status = isAnswered ? #","status":200"# : ""
        let attempt = #"{"attemptDate":1,"sendAttemptResult":"SUCCESS","milliseconds":0\#(status)}"#
        let delivery = #"{"endpoint":"primary","isDelivered":true,"attempts":[\#(attempt)]}"#
        let tree = try JSONTree.parse(Array(delivery.utf8))
        let shown = NotificationWords.delivery(try tree.decode(DeliveryInfo.self))
        #expect(shown["words"] == .text(isAnswered ? "delivered" : "counted as delivered"))
        #expect(shown["tries"] == .text("after 1 attempt"))
    }

    @Test("The next page starts after the last entry of the page before")
    func keyset() async throws {
        let (site, row) = try await site()
        let scope = scope
        for _ in 0..<60 {
            let account = try #require(try await site.test.sandbox.account(of: "ann"))
            _ = try await site.test.shop.trigger(Notice(.didRenew), about: row, of: account)
        }
        try await site.visit { visitor in
            let first = try await visitor.get("\(scope)/notifications?type=DID_RENEW")
            let link = try #require(first.text.range(of: "notifications?type=DID_RENEW&amp;after="))
            let after = first.text[link.upperBound...].prefix { $0 != "\"" }
            let rest = try await visitor.get("\(scope)/notifications?type=DID_RENEW&after=\(after)")
            let rows = [first, rest].map { $0.text.components(separatedBy: "<th scope=\"row\">").count - 1 }
            #expect(rows == [50, 10])
            #expect(!rest.text.contains("Older notifications"))
        }
    }

    @Test("A notification page shows three layers, signatures and attempts, and resends")
    func one() async throws {
        let (site, row) = try await site()
        let scope = scope
        let post = try await WebhookReceiver.start()
        let place = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let deliveryWorker = try site.test.startSending()
        let sending = Task { try await deliveryWorker.run() }
        try await site.visit { visitor in
            let page = "\(scope)/notifications"
            let none = try await visitor.get("\(page)/\(try self.uuid(in: try await visitor.get(page).text))")
            #expect(none.text.contains("no endpoint was configured"))
            let set = try await visitor.perform(
                "setEndpoint",
                on: "\(scope)/",
                [("path.endpoint", "primary"), ("url", post.url)]
            )
            #expect(set.status == 200)
            let made = try await visitor.perform(
                "triggerNotification",
                on: page,
                [("type:notice", "REFUND"), ("transactionId", row.id.wireForm)]
            )
            #expect(made.status == 200)
            let uuid = try self.uuid(in: made.text)
            _ = try await post.requests(atLeast: 1)
            try await site.test.shop.arrived(uuid, in: place)
            let one = try await visitor.get("\(page)/\(uuid)")
            #expect(one.status == 200)
            for text in [
                "REFUND", "signed; decoded below", "$.data.signedTransactionInfo", "$.data.signedRenewalInfo",
                "Signed by: this server", ", current. The signature is valid", "delivered", "Success",
                "triggered manually",
                "App Store signing certificate", "Renewal info", "4.99 USD",
            ] { #expect(one.text.contains(text), "\(text)") }
            let again = try await visitor.perform(
                "resendNotifications",
                form: "resendNotifications-all",
                on: "\(page)/\(uuid)",
                [("notificationUUID", uuid)]
            )
            #expect(again.status == 200)
            _ = try await post.requests(atLeast: 2)
            let span = try await visitor.perform(
                "resendNotifications",
                on: page,
                [("from:instant", "2025-12-31T00:00"), ("to:instant", "2026-12-31T00:00:00")]
            )
            #expect(span.status == 200)
            _ = try await post.requests(atLeast: 4)
            let missing = try await visitor.get("\(page)/\(UUID().uuidString)")
            #expect(missing.status == 404)
        }
        await site.test.stopSending(deliveryWorker)
        sending.cancel()
        #expect(post.requests.allSatisfy { $0.method == "POST" })
    }

    @Test("Requests are listed newest first, filtered and page by page, with explanations")
    func requests() async throws {
        let test = try await TestShop()
        let site = try TestConsole(test)
        for number in 0..<120 {
            var entry = RequestLogEntry(
                id: number == 7 ? "a/b c" : "ID\(number)",
                at: test.now,
                environment: .sandbox,
                method: "GET",
                path: number % 2 == 0 ? "/inApps/v1/even" : "/inApps/v1/odd",
                status: number % 4 == 0 ? 200 : 404,
                code: number % 4 == 0 ? nil : 4_040_010,
                app: number % 3 == 0 ? TestShop.bundleID : nil,
                explanation: "No such thing as <b>\(number)</b>."
            )
            entry.requestBody = "{\"a\":[1,2]}"
            await test.shop.requestLog.note(entry)
        }
        try await site.visit { visitor in
            func rows(_ answer: Answer) -> Int { answer.text.components(separatedBy: "<th scope=\"row\">").count - 1 }
            let first = try await visitor.get("/console/requests")
            #expect(first.status == 200 && rows(first) == 50)
            #expect(first.text.contains("&lt;b&gt;119&lt;/b&gt;") && !first.text.contains("<b>"))
            var seen = 0
            var address: String? = "/console/requests?path=odd&refused=true"
            while let next = address {
                let answer = try await visitor.get(next)
                seen += rows(answer)
                let link = answer.text.range(of: "<a href=\"/console/requests?path=odd&amp;refused=true&amp;after=")
                address = link.map {
                    "/console/requests?path=odd&refused=true&after="
                        + answer.text[$0.upperBound...].prefix { $0 != "\"" }
                }
            }
            #expect(seen == 60)
            #expect(rows(try await visitor.get("/console/requests?status=200")) == 30)
            #expect(rows(try await visitor.get("/console/requests?status=4040010&bundleId=com.example.shop")) == 30)
            #expect(
                try await visitor.get("/console/requests?status=abc").text.contains("status must be a whole number")
            )
            let one = try await visitor.get("/console/requests/a%2Fb%20c")
            #expect(one.status == 200)
            #expect(one.text.contains("No such thing as &lt;b&gt;7&lt;/b&gt;"))
            #expect(one.text.contains("&quot;a&quot;: [") || one.text.contains("\"a\": ["))
            #expect(try await visitor.get("/console/requests/none").status == 404)
        }
    }
}

extension Shop {
    /// Waits until a notification is delivered.
    fileprivate func arrived(_ uuid: String, in scope: AccountScope) async throws {
        for _ in 0..<200 {
            if let entry = try await storage.notification(uuid: uuid, in: scope) {
                let deliveries = try await storage.deliveries(of: entry.id)
                if !deliveries.isEmpty, deliveries.allSatisfy(\.isDelivered) { return }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
