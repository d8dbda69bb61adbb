import Foundation
import HTTPTypes
import Synchronization
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillTestSupport

/// Imports StoreKit files of all versions, buys every product, and compares the purchases with the transaction history
/// under every filter and pair of filters. The expected values come from the file. The test also uses the files in the
/// folder TILL_EXTRA_STOREKIT_DIR.
@Suite("Products of StoreKit files")
struct StoreKitFileTests {
    private static let files: [URL] = {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/storekit").standardizedFileURL
        let extra = ProcessInfo.processInfo.environment["TILL_EXTRA_STOREKIT_DIR"].map { [URL(filePath: $0)] } ?? []
        return ([fixtures] + extra).flatMap { folder in
            let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (all ?? []).filter { $0.pathExtension == "storekit" }.sorted { $0.path < $1.path }
        }
    }()

    @Test("The files have all versions")
    func versions() throws {
        let versions = try Self.files.compactMap { file -> String? in
            let version = try JSONTree.parse(Array(try Data(contentsOf: file)))["version"]
            return version.map { "\($0["major"]?.text ?? "").\($0["minor"]?.text ?? "")" }
        }
        #expect(Set(versions).isSuperset(of: ["1.0", "1.1", "1.2", "2.0", "3.0", "4.0", "5.0"]))
    }

    @Test("All products of a file can be bought, and found with every filter and pair of filters", arguments: files)
    func products(of file: URL) async throws {
        let document = try JSONTree.parse(Array(try Data(contentsOf: file)))
        var settings = Settings()
        // An unchanged transaction keeps its signature, so that it is verified only once.
        settings.signatureAge = 3_600
        let test = try await TestShop(settings: settings)
        let number = Self.files.firstIndex(of: file) ?? 0
        try await TypedControl.run(test) { control in
            let request = ImportStoreKitFile(bundleId: TestShop.bundleID)
            let summary = try await control.till.upload(request, JSONObject(document))
            let version = document["version"].map { "\($0["major"]?.text ?? "").\($0["minor"]?.text ?? "")" }
            let products = try FileProduct.all(in: document)
            #expect(summary.version == version && summary.products == products.count)
            #expect(summary.groups == document["subscriptionGroups"]?.elements.count ?? 0)
            let app = AppEnvironment(TestShop.bundleID, number.isMultiple(of: 2) ? .sandbox : .production)
            let code = document["settings"]?["_storefront"]?.text ?? "USA"
            let sale = FileSale(control: control, app: app, storefront: try #require(Storefront(code: code)))
            try await sale.sell(products)
            try await sale.share(products)
            try await sale.compare(products)
        }
    }
}

/// A product in a StoreKit file, with the values that a purchase must have.
private struct FileProduct {
    let id: String
    let type: String
    let group: String?
    let isShareable: Bool
    let introductory: JSONTree?
    let price: Int64
    let hasSeveralPlans: Bool

    /// The types of a file, each with its value in a query and in a payload.
    static let types = [
        "Consumable": ("CONSUMABLE", "Consumable"), "NonConsumable": ("NON_CONSUMABLE", "Non-Consumable"),
        "NonRenewingSubscription": ("NON_RENEWABLE", "Non-Renewing Subscription"),
        "RecurringSubscription": ("AUTO_RENEWABLE", "Auto-Renewable Subscription"),
    ]

    var isConsumable: Bool { type == "Consumable" }
    var isRenewable: Bool { type == "RecurringSubscription" }

    static func all(in document: JSONTree) throws -> [FileProduct] {
        let single = ["products", "nonRenewingSubscriptions"].flatMap { document[$0]?.elements ?? [] }
        let groups = document["subscriptionGroups"]?.elements ?? []
        return try single.map { try FileProduct($0, group: nil) }
            + groups.flatMap { group in
                try (group["subscriptions"]?.elements ?? []).map { try FileProduct($0, group: group["id"]?.text) }
            }
    }

    private init(_ entry: JSONTree, group: String?) throws {
        id = try #require(entry["productID"]?.text)
        type = try #require(entry["type"]?.text)
        self.group = group
        isShareable = entry["familyShareable"] == .bool(true)
        let offers = [entry["introductoryOffer"]].compactMap { $0 } + (entry["introductoryOffers"]?.elements ?? [])
        introductory = offers.first { $0 != .null && $0["billingPlanType"]?.text != "MONTHLY" }
        price = try Self.milliunits(entry["displayPrice"])
        let plans = (entry["billingPlans"]?.elements ?? []).filter { $0["isEnabled"] == .bool(true) }
        hasSeveralPlans = plans.contains { $0["billingPlanType"]?.text == "MONTHLY" }
    }

    private static func milliunits(_ price: JSONTree?) throws -> Int64 {
        let decimal = try #require(price?.text.flatMap { Decimal(string: $0) })
        return NSDecimalNumber(decimal: decimal * 1_000).int64Value
    }

    /// Checks that a purchase has exactly the values of the product in the file.
    func check(_ payload: JSONTree, in storefront: Storefront) throws {
        #expect(payload["productId"]?.text == id && payload["type"]?.text == Self.types[type]?.1)
        #expect(payload["subscriptionGroupIdentifier"]?.text == group)
        #expect(payload["billingPlanType"]?.text == (hasSeveralPlans ? "BILLED_UPFRONT" : nil))
        #expect(payload["storefront"]?.text == storefront.code && payload["currency"]?.text == storefront.currency)
        guard isRenewable, let offer = introductory else {
            #expect(payload["offerType"] == nil)
            #expect(payload["price"]?.number == price * (payload["quantity"]?.number ?? 0))
            return
        }
        let modes = ["free": "FREE_TRIAL", "payAsYouGo": "PAY_AS_YOU_GO", "payUpFront": "PAY_UP_FRONT"]
        let mode = try #require(offer["paymentMode"]?.text.flatMap { modes[$0] })
        #expect(payload["offerType"] == .number("1") && payload["offerDiscountType"]?.text == mode)
        let period = try #require(offer["subscriptionPeriod"]?.text)
        let count = try #require(Int(period.dropFirst().dropLast())) * Int(offer["numberOfPeriods"]?.number ?? 1)
        #expect(payload["offerPeriod"]?.text == "P\(count)\(period.suffix(1))")
        let offered = mode == "FREE_TRIAL" ? 0 : try Self.milliunits(offer["displayPrice"])
        #expect(payload["price"]?.number == offered)
    }
}

/// A filter of the transaction history: its part of the query, and whether a transaction passes it.
private struct Filter: Sendable {
    let query: String
    /// The date of a filter by date.
    let date: Int64?
    let passes: @Sendable (JSONTree) -> Bool

    init(_ name: String, _ values: [String], _ passes: @escaping @Sendable (JSONTree) -> Bool) {
        query = values.map { "&\(name)=\($0)" }.joined()
        date = name.hasSuffix("Date") ? values.first.flatMap(Int64.init) : nil
        self.passes = passes
    }
}

/// The purchases of a file's products by several customers, and the histories that they must have.
private final class FileSale: Sendable {
    private struct State {
        /// The payloads of each customer, without the signing date, in the order of their last change.
        var rows: [String: [JSONTree]] = [:]
        var ids: [String: String] = [:]
        var dates: Set<Int64> = []
        var decoded: [String: JSONTree] = [:]
    }

    private let control: TypedControl
    private let app: AppEnvironment
    private let storefront: Storefront
    private let state = Mutex(State())

    init(control: TypedControl, app: AppEnvironment, storefront: Storefront) {
        self.control = control
        self.app = app
        self.storefront = storefront
    }

    // MARK: Selling

    /// Buys each product once and some consumables more often, and refunds a few purchases, with one operation an hour.
    /// Subscriptions are cancelled at once. Customer 0 buys the first product of each group and all other products,
    /// customer 1 the second product of each group, and so on.
    func sell(_ products: [FileProduct]) async throws {
        let start = control.inDays(-20)
        _ = try await control.send(CreateClock(app: app, name: "past", at: start))
        for customer in ["0", "member"] { try await create(customer, at: start) }
        state.withLock { _ = $0.dates.insert(start.milliseconds) }
        var places: [String?: Int] = [:]
        for product in products {
            let place = places[product.group, default: -1] + 1
            places[product.group] = place
            let customer = product.group == nil ? "0" : String(place)
            let now = try await nextHour()
            if state.withLock({ $0.ids[customer] == nil }) { try await create(customer, at: now) }
            let payload = try await buy(product, by: customer, quantity: product.isConsumable ? 3 : 1)
            try product.check(payload, in: storefront)
            #expect(payload["purchaseDate"]?.number == now.milliseconds)
            if product.isRenewable {
                let id = payload["transactionId"]?.text ?? ""
                let cancelled = try await control.send(
                    CancelSubscription(app: app, originalTransactionId: id, include: [.signed])
                )
                #expect(try self.payload(cancelled.transaction.signedTransactionInfo) == payload)
            }
        }
        let consumables = products.filter(\.isConsumable)
        for number in 0..<(consumables.isEmpty ? 0 : 24) {
            let now = try await nextHour()
            let payload = try await buy(consumables[number % consumables.count], by: "0", isFinished: true)
            #expect(payload["purchaseDate"]?.number == now.milliseconds)
        }
        try await refund()
        let report = try await control.send(AdvanceClock(app: app, clock: "past", to: control.test.now))
        #expect(report.quarantined.isEmpty)
        for customer in state.withLock({ $0.ids.keys.sorted() }) {
            _ = try await control.send(UpdateCustomer(app: app, customer: customer, clock: ""))
        }
    }

    /// Refunds every third purchase of customer 0, and reverses every second refund.
    private func refund() async throws {
        for (number, row) in (rows("0").enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)).enumerated()
        {
            let id = row["transactionId"]?.text ?? ""
            _ = try await nextHour()
            let reason: RevocationReason = number.isMultiple(of: 2) ? .other : .issueInApp
            let refund = RefundTransaction(app: app, transactionId: id, reason: reason, include: [.signed])
            enter(try payload(try await control.send(refund).transaction.signedTransactionInfo), of: "0")
            if reason == .issueInApp {
                _ = try await nextHour()
                let reversal = ReverseRefund(app: app, transactionId: id, include: [.signed])
                enter(try payload(try await control.send(reversal).transaction.signedTransactionInfo), of: "0")
            }
        }
    }

    private func create(_ customer: String, at instant: Timestamp) async throws {
        let request = CreateCustomer(app: app, customer: customer, storefront: storefront, at: instant)
        let id = try await control.send(request).appTransactionId
        _ = try await control.send(UpdateCustomer(app: app, customer: customer, clock: "past"))
        state.withLock { $0.ids[customer] = id }
    }

    private func nextHour() async throws -> Timestamp {
        let now = try await control.send(AdvanceClock(app: app, clock: "past", by: "PT1H")).to
        state.withLock { _ = $0.dates.insert(now.milliseconds) }
        return now
    }

    private func buy(_ product: FileProduct, by customer: String, quantity: Int? = nil, isFinished: Bool? = nil)
        async throws -> JSONTree
    {
        let bought = try await control.send(
            BuyProduct(
                app: app,
                customer: customer,
                productId: product.id,
                quantity: quantity,
                storefront: storefront,
                finished: isFinished,
                include: [.signed]
            )
        )
        let payload = try payload(bought.transaction?.signedTransactionInfo)
        let id = payload["transactionId"]
        let isNew = state.withLock { state in !state.rows.values.joined().contains { $0["transactionId"] == id } }
        #expect(isNew, "\(product.id) has no transaction of its own")
        enter(payload, of: customer)
        return payload
    }

    // MARK: Sharing

    /// A new member joins the family of customer 0, and gets the shareable purchases that this customer still owns.
    func share(_ products: [FileProduct]) async throws {
        _ = try await control.send(CreateFamily(app: app, organizer: "0", members: ["member"]))
        let shareable = Set(products.filter(\.isShareable).map(\.id))
        let now = control.test.now.milliseconds
        let held = rows("0").filter { row in
            shareable.contains(row["productId"]?.text ?? "") && row["revocationDate"] == nil
                && row["expiresDate"]?.number ?? .max > now
        }
        let copies = try await history(of: "member", "")
        let names = { (rows: [JSONTree]) in rows.map { $0["productId"]?.text ?? "" }.sorted() }
        #expect(names(copies) == names(held))
        let bought = state.withLock { Set($0.rows.values.joined().map { $0["transactionId"]?.text }) }
        let member = state.withLock { $0.ids["member"] }
        for copy in copies {
            let original = held.first { $0["productId"] == copy["productId"] }
            #expect(copy["inAppOwnershipType"]?.text == "FAMILY_SHARED" && copy["appTransactionId"]?.text == member)
            #expect(!bought.contains(copy["transactionId"]?.text))
            for key in ["productId", "type", "subscriptionGroupIdentifier", "expiresDate"] {
                #expect(copy[key] == original?[key], "\(key)")
            }
            if let date = copy["purchaseDate"]?.number { state.withLock { _ = $0.dates.insert(date) } }
            enter(copy, of: "member")
        }
        if let consumable = products.first(where: \.isConsumable) { _ = try await buy(consumable, by: "member") }
    }

    // MARK: Comparing

    /// Compares every history with the purchases, in both orders; for customer 0 and the member under every filter and
    /// pair of filters.
    func compare(_ products: [FileProduct]) async throws {
        let filters = Self.filters(products, state.withLock { $0.dates.sorted() })
        var combinations: [[Filter]] = [[]] + filters.joined().map { [$0] }
        for (place, one) in filters.enumerated() {
            for other in filters[(place + 1)...] {
                for first in one.prefix(2) {
                    // A start that is not before the end is an error, which other tests check.
                    let fitting = other.prefix(2).filter { $0.date ?? .max > first.date ?? .min }
                    combinations += fitting.map { [first, $0] }
                }
            }
        }
        for customer in state.withLock({ $0.ids.keys.sorted() }) {
            for combination in ["0", "member"].contains(customer) ? combinations : [[]] {
                let query = combination.map(\.query).joined()
                let expected = rows(customer).filter { row in combination.allSatisfy { $0.passes(row) } }
                let found = try await history(of: customer, query)
                #expect(found == expected, "\(customer) under \(query)")
                let backwards = try await history(of: customer, query + "&sort=DESCENDING")
                #expect(backwards == expected.reversed(), "\(customer) under \(query), descending")
            }
        }
    }

    /// The values to test for each filter.
    private static func filters(_ products: [FileProduct], _ dates: [Int64]) -> [[Filter]] {
        let ids = products.map(\.id)
        let groups = Set(products.compactMap(\.group)).sorted()
        let everySecond = ids.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        func text(_ key: String, _ name: String, _ values: [String]) -> Filter {
            Filter(name, values) { values.contains($0[key]?.text ?? "") }
        }
        func types(_ names: [String]) -> Filter {
            let values = FileProduct.types.values.filter { names.contains($0.0) }.map(\.1)
            return Filter("productType", names) { values.contains($0["type"]?.text ?? "") }
        }
        let last = dates.last ?? 0
        return [
            [Array(ids.prefix(1)), everySecond, ids, ["com.example.nothing"]].filter { !$0.isEmpty }
                .map { text("productId", "productId", $0) },
            [types(["CONSUMABLE", "AUTO_RENEWABLE"])] + FileProduct.types.values.map(\.0).sorted().map { types([$0]) },
            ["PURCHASED", "FAMILY_SHARED"].map { text("inAppOwnershipType", "inAppOwnershipType", [$0]) },
            ([groups.isEmpty ? ["1"] : groups, ["99999999"]] + groups.map { [$0] })
                .map { text("subscriptionGroupIdentifier", "subscriptionGroupIdentifier", $0) },
            [true, false].map { isRevoked in
                Filter("revoked", ["\(isRevoked)"]) { ($0["revocationDate"] != nil) == isRevoked }
            },
            [dates[dates.count / 4], last, 0].map { date in
                Filter("startDate", ["\(date)"]) { ($0["purchaseDate"]?.number ?? 0) >= date }
            },
            [dates[3 * dates.count / 4], last + 1, dates[0]].map { date in
                Filter("endDate", ["\(date)"]) { ($0["purchaseDate"]?.number ?? 0) < date }
            },
        ]
    }

    /// The payloads of all pages of a history.
    private func history(of customer: String, _ query: String) async throws -> [JSONTree] {
        let id = state.withLock { $0.ids[customer] ?? "" }
        var found: [JSONTree] = []
        var revision = ""
        while true {
            let path = "/inApps/v2/history/\(id)?\(revision)\(query)"
            let page = try await control.apple(.get, path, in: app.environment)
            try #require(page.status == 200, "\(path): \(page)")
            #expect(page.json["hasMore"] == .bool(false) || page.signedTransactions.count == 20)
            found += try page.signedTransactions.map { try payload($0) }
            guard page.json["hasMore"] == .bool(true) else { return found }
            revision = "revision=\(page.json["revision"]?.text ?? "")"
        }
    }

    /// The payload of a JWS whose chain and signature are valid, without its signing date.
    private func payload(_ signed: String?) throws -> JSONTree {
        let text = try #require(signed)
        if let known = state.withLock({ $0.decoded[text] }) { return known }
        let payload = try control.payload(of: text).withoutSigningDate
        state.withLock { $0.decoded[text] = payload }
        return payload
    }

    private func rows(_ customer: String) -> [JSONTree] { state.withLock { $0.rows[customer] ?? [] } }

    /// Adds a transaction to a customer's history, or moves it to the end.
    private func enter(_ payload: JSONTree, of customer: String) {
        state.withLock { state in
            let others = (state.rows[customer] ?? []).filter { $0["transactionId"] != payload["transactionId"] }
            state.rows[customer] = others + [payload]
        }
    }
}
