import Testing
import TillCore
import TillTestSupport

/// The account that is derived from the answers of another server.
@Suite("An account is derived from the answers of another server")
struct ImportedAccountTests {
    static let start = Timestamp(seconds: 1_767_225_600)
    static let month: Int64 = 31 * 86_400_000
    private static let catalog = Catalog(
        products: [
            "pro": Product(
                id: "pro",
                type: .autoRenewable,
                referenceName: "Pro",
                prices: PriceList(standard: Money(milliunits: 9_990, currency: "USD")),
                plan: SubscriptionPlan(groupID: "1", level: 1, period: Period(1, .month))
            )
        ]
    )

    /// A month of a subscription.
    static func month(_ number: Int64, of original: Int64 = 100, from start: Timestamp = start)
        -> SourceTransaction
    {
        let row = Transaction(
            id: TransactionID(number),
            originalID: TransactionID(original),
            account: AccountID(0),
            change: 0,
            lineItem: number + 1_000,
            order: nil,
            productID: "pro",
            groupID: "1",
            type: .autoRenewable,
            purchaseDate: start,
            originalPurchaseDate: Self.start,
            expiresDate: start.advanced(milliseconds: month),
            quantity: 1,
            appAccountToken: nil,
            ownership: .purchased,
            reason: number == original ? .purchase : .renewal,
            storefront: .unitedStates,
            price: Money(milliunits: 9_990, currency: "USD"),
            offer: nil,
            isUpgraded: false,
            revocation: nil,
            refundNumber: nil,
            isFinished: false,
            sharedFrom: nil,
            modifiedDate: start
        )
        return SourceTransaction(number: number, original: original, row: row)
    }

    /// A customer with one month, ten days after its end or ten days after its beginning.
    static func customer(
        _ status: SubscriptionStatus,
        after days: Int64 = 41,
        _ change: (inout SourceRenewalInfo) -> Void = { _ in }
    ) -> SourceCustomer {
        var customer = SourceCustomer(at: start.advanced(milliseconds: days * 86_400_000))
        customer.transactions = [month(100)]
        var renewal = SourceRenewalInfo(autoRenewProductID: "pro", autoRenews: true)
        renewal.recentStart = start
        change(&renewal)
        customer.subscriptions = [
            SourceSubscription(groupID: "1", original: 100, latest: 100, status: status, renewal: renewal)
        ]
        return customer
    }

    static func derive(_ customer: SourceCustomer, keepsIDs: Bool = true) -> ImportedAccount {
        let account = Account(
            id: AccountID(704_000_000_000_001_024),
            environment: .production,
            app: "app",
            customer: "zoe",
            storefront: .unitedStates,
            at: customer.instant
        )
        var ids = Identifiers(reserved: 10..<1_000)
        return ImportedAccount(
            customer,
            as: account,
            catalog: catalog,
            policy: Policy(for: .production),
            identifiers: &ids,
            keepsIDs: keepsIDs
        )
    }

    @Test("Each status becomes the state with the dates of the answer")
    func states() throws {
        let day: Int64 = 86_400_000
        let grace = Self.start.advanced(milliseconds: 47 * day)
        let customers = [
            Self.customer(.active, after: 10), Self.customer(.gracePeriod) { $0.graceUntil = grace },
            Self.customer(.billingRetry),
            Self.customer(.expired) {
                $0.expirationIntent = .customer
                $0.autoRenews = false
            },
        ]
        let states = customers.map { Self.derive($0).account.subscriptions.first?.state }
        let latest = try #require(states[0]?.latest)
        let end = latest.end
        let retry = Policy(for: .production).rate.endOfRetry(days: 60, from: end)
        #expect(states[0] == .active(current: latest, paidAhead: nil))
        #expect(states[1] == .gracePeriod(latest, until: grace, retryUntil: retry))
        #expect(states[2] == .billingRetry(latest, until: retry, graceEnded: nil))
        #expect(states[3] == .expired(latest, .customer(leftInGrace: false), at: end))
        #expect(
            customers.map { Self.derive($0).account.card } == [
                .accepted, .declinedForRenewals, .declinedForRenewals, .accepted,
            ]
        )
        #expect(Self.derive(customers[1]).assumptions.count == 2)
    }

    @Test("A period that was paid ahead follows the current one")
    func paidAhead() throws {
        var customer = Self.customer(.active, after: 30)
        customer.transactions.append(Self.month(200, from: Self.start.advanced(milliseconds: Self.month)))
        customer.subscriptions[0].latest = 200
        let subscription = try #require(Self.derive(customer).account.subscriptions.first)
        #expect(subscription.state.latest.transaction.shownID == "200")
        #expect(subscription.state.previous?.transaction.shownID == "100")
        #expect(subscription.renewals == 1 && subscription.paidPeriods == 2)
    }

    @Test("Ids are shown as the source gave them, or not at all")
    func ids() throws {
        var customer = Self.customer(.active, after: 10) { $0.recentStart = nil }
        customer.appTransactionID = 704_999_999_999_999_999
        customer.orders = ["MVYN7Z3K5P": [100]]
        let kept = Self.derive(customer)
        let row = try #require(kept.rows.first)
        #expect(row.shownID == "100" && row.shownOriginalID == "100" && row.shownAccountID == "704999999999999999")
        #expect(row.shownOrderID == "MVYN7Z3K5P" && row.order != nil && row.lineItem == 1_100)
        #expect(row.id.partition == kept.account.id.partition)
        let anonymous = Self.derive(customer, keepsIDs: false)
        let own = try #require(anonymous.rows.first)
        #expect(own.shownID == own.id.wireForm && own.shownAccountID == anonymous.account.id.wireForm)
        #expect(own.shownOrderID == own.order?.wireForm && own.lineItem != 1_100)
        // The report has the ids of the new customer.
        #expect(kept.assumptions.map(\.subject) == ["subscription 100"])
        #expect(anonymous.assumptions.map(\.subject) == ["subscription \(own.shownID)"])
    }

    @Test("What cannot be explained is quarantined with its reason")
    func quarantine() {
        var customer = Self.customer(.active, after: 10)
        customer.transactions += [Self.month(100), Self.month(300, of: 299)]
        var endless = Self.month(400, of: 400)
        endless.row.expiresDate = nil
        var other = Self.month(500, of: 500)
        other.row.groupID = "2"
        customer.transactions += [endless, other]
        customer.subscriptions.append(customer.subscriptions[0])
        customer.subscriptions[1].latest = 999
        let subjects = Self.derive(customer).quarantined.map(\.subject)
        #expect(
            subjects == [
                "transaction 100", "transaction 400", "transaction 500", "transaction 300", "subscription 100",
            ]
        )
        var revoked = Self.customer(.revoked)
        #expect(Self.derive(revoked).quarantined.map(\.subject) == ["subscription 100"], "no revocationDate")
        revoked.subscriptions = []
        #expect(Self.derive(revoked).quarantined.first?.words.contains("status answer") == true)
    }

    @Test("An original transaction is its own original, and of the same type and group")
    func originals() {
        var cyclic = Self.customer(.active, after: 10)
        cyclic.transactions = [Self.month(100, of: 200), Self.month(200, of: 100)]
        cyclic.subscriptions = []
        #expect(Self.derive(cyclic).quarantined.map(\.subject) == ["transaction 100", "transaction 200"])
        #expect(Self.derive(cyclic).rows.isEmpty)
        for change in [{ $0.type = .consumable }, { $0.groupID = "2" }] as [(inout Transaction) -> Void] {
            var other = Self.customer(.active, after: 10)
            other.transactions.append(Self.month(200))
            other.transactions[0].row.productID = "max"
            change(&other.transactions[0].row)
            other.subscriptions = []
            let derived = Self.derive(other)
            #expect(derived.quarantined.first?.subject == "transaction 200" && derived.rows.count == 1)
        }
    }

    @Test("A status answer that is too old to be explained is quarantined, so that no paid period is charged again")
    func oldStatuses() {
        let late = Self.derive(Self.customer(.active, after: 41))
        #expect(late.quarantined.map(\.subject).first == "subscription 100" && late.account.subscriptions.isEmpty)
        #expect(late.quarantined.first?.words.contains("expiresDate") == true)
        var older = Self.customer(.active, after: 31)
        older.transactions.append(Self.month(200, from: Self.start.advanced(milliseconds: Self.month)))
        let derived = Self.derive(older)
        #expect(derived.quarantined.first?.words.contains("older than the last transaction") == true)
        #expect(derived.account.subscriptions.isEmpty)
        var muchOlder = older
        muchOlder.instant = Self.start
        #expect(Self.derive(muchOlder).quarantined.map(\.subject).prefix(2) == ["transaction 200", "subscription 100"])
        older.subscriptions[0].latest = 200
        #expect(Self.derive(older).quarantined.isEmpty)
    }

    @Test("Transactions that other answers have and the history lacks are reported")
    func references() {
        var customer = Self.customer(.active, after: 10)
        customer.transactions.append(Self.month(300, of: 299))
        customer.unfinished = [100, 300, 401]
        customer.refunds = [100, 300, 402]
        customer.orders = ["MVYN7Z3K5P": [100, 403, 403]]
        customer.subscriptions.append(customer.subscriptions[0])
        let derived = Self.derive(customer)
        #expect(
            derived.quarantined.map(\.subject) == [
                "transaction 300", "transaction 401", "refund of transaction 100", "refund of transaction 402",
                "order MVYN7Z3K5P", "subscription 100",
            ]
        )
        #expect(derived.rows.map(\.shownOrderID) == ["MVYN7Z3K5P"] && derived.account.subscriptions.count == 1)
    }

    @Test("A storefront that is absent is assumed, with one entry for all transactions")
    func storefronts() {
        var customer = Self.customer(.active, after: 10)
        #expect(!Self.derive(customer).assumptions.contains { $0.subject == "storefront" })
        for number in 1...2 as ClosedRange<Int64> {
            customer.transactions.append(Self.month(100 + number, of: 100 + number))
            customer.transactions[Int(number)].hasStorefront = false
        }
        let found = Self.derive(customer).assumptions.filter { $0.subject == "storefront" }
        #expect(found.map(\.words) == ["2 of 3 transactions have none; it counts as USA"])
    }

    @Test("A transaction in two orders stays in the first, and the second is reported")
    func orders() {
        var customer = Self.customer(.active, after: 10)
        customer.orders = ["MVYN7Z3K5P": [100], "MVYN7Z3K5Q": [100]]
        let derived = Self.derive(customer)
        #expect(derived.rows.map(\.shownOrderID) == ["MVYN7Z3K5P"])
        #expect(derived.quarantined.map(\.subject) == ["order MVYN7Z3K5Q"])
    }

    @Test("A difference from the renewal info of the source is reported")
    func differences() {
        let customer = Self.customer(.active, after: 10) {
            $0.renewalPrice = Money(milliunits: 12_990, currency: "USD")
        }
        let found = Self.derive(customer).differences
        #expect(found.map(\.words) == ["renewalPrice is 12990, and 9990 in Till"])
    }

    @Test("A product that the catalog lacks is created with the price and the period of its transactions")
    func products() throws {
        var customer = Self.customer(.active, after: 10)
        customer.transactions[0].row.productID = "max"
        let imported = Self.derive(customer)
        let product = try #require(imported.catalog.products["max"])
        #expect(imported.productsMade == ["max"] && product.plan?.period == Period(1, .month))
        #expect(product.plan?.level == 2 && product.prices.standard.milliunits == 9_990)
        // Each product of a group gets the next level.
        var more = Self.month(200, of: 200)
        more.row.productID = "ultra"
        customer.transactions.append(more)
        let levels = Self.derive(customer).catalog.products.mapValues { $0.plan?.level }
        #expect(levels == ["pro": 1, "max": 2, "ultra": 3])
    }

    @Test("The price of a product of which only trials and discounts are known is that of the next renewal")
    func priceOfTrial() throws {
        let offer = AppliedOffer(kind: .introductory, id: nil, mode: .freeTrial, wholePeriod: Period(1, .week))
        func made(_ change: (inout SourceRenewalInfo) -> Void) throws -> (Money, [String]) {
            var customer = Self.customer(.active, after: 3) {
                $0.autoRenewProductID = "max"
                $0.renewalPrice = Money(milliunits: 12_990, currency: "EUR")
                change(&$0)
            }
            customer.transactions[0].row.productID = "max"
            customer.transactions[0].row.offer = offer
            customer.transactions[0].row.price = Money(milliunits: 0, currency: "EUR")
            let imported = Self.derive(customer)
            let prices = try #require(imported.catalog.products["max"]?.prices)
            let words = imported.assumptions.filter { $0.subject == "product max" && $0.words.contains("price") }
            return (prices.byStorefront["USA"] ?? prices.standard, words.map(\.words))
        }
        let known = try made { _ in }
        #expect(known.0 == Money(milliunits: 12_990, currency: "EUR"))
        #expect(known.1 == ["its price is that of the next renewal, 12990 EUR"])
        let discounted = try made { $0.offer = offer }
        #expect(discounted.0.milliunits == 0 && discounted.1.first?.contains("not known") == true)
    }

    @Test("A copy of a family member is external")
    func copies() throws {
        var customer = Self.customer(.active, after: 10)
        customer.transactions[0].row.ownership = .familyShared
        customer.transactions[0].row.price = nil
        let account = Self.derive(customer).account
        #expect(account.sharedSubscriptions.map(\.source) == [.external] && account.subscriptions.isEmpty)
        #expect(account.damage == nil)
    }
}
