import TillControl
import TillServer
import TillShop

extension ConsolePage {
    static let customersPath = "/console/apps/{bundleId}/{environment}/customers"

    /// All customers of an app's environment.
    static let customers = ConsolePage(
        path: customersPath,
        template: Template("customer-list", PackageResources.customer_list_mustache)
    ) { page in
        PageContent("Customers", ["list": try await CustomerTable.value(page, after: page.value("after"), limit: 50)])
    }
}

/// A list of customers, shown by `{{>customers}}`, with a form to create one.
enum CustomerTable {
    /// The maximum number of subscriptions that are shown for a customer.
    private static let maxSubscriptions = 3

    static func value(_ page: PageRequest, after: String?, limit: Int) async throws -> PageValue {
        let list = try await page.send(ListCustomers(app: try page.app, after: after, limit: limit))
        let next = list.next.flatMap { page.link(ConsolePage.customersPath, query: [(name: "after", value: $0)]) }
        return [
            "customers": .list(list.customers.map { row($0, page) }), "next": PageValue(next),
            "form": form(try page.app).value(page),
        ]
    }

    private static func row(_ customer: CustomerInfo, _ page: PageRequest) -> PageValue {
        [
            "name": .text(customer.customer), "link": PageValue(page.link(toCustomer: customer.customer)),
            "storefront": .text(customer.storefront.code), "transactions": PageValue(customer.transactions),
            "clock": PageValue(customer.clock), "card": .text(Words.card(customer.card)),
            "subscriptions": .list(
                customer.subscriptions.prefix(maxSubscriptions).map {
                    ["product": .text($0.productId), "status": SubscriptionWords.status($0.status)]
                }
            ),
        ]
    }

    private static func form(_ app: AppEnvironment) -> ActionForm {
        ActionForm(
            CreateCustomer(app: app, customer: ""),
            "Create customer",
            [
                .init("customer", "Name"), .init("storefront", "Storefront", hint: "USA, DEU, JPN"),
                .init("downloadsApp", "App downloaded", .choice([("", "Yes"), ("false", "No")])),
            ]
        )
    }
}

/// A subscription's status with its style.
enum SubscriptionWords {
    static func status(_ status: SubscriptionStatus) -> PageValue {
        let (words, style) =
            switch status {
            case .active: ("active", "good")
            case .expired: ("expired", "over")
            case .billingRetry: ("billing retry", "bad")
            case .gracePeriod: ("grace period", "warn")
            case .revoked: ("revoked", "over")
            }
        return ["words": .text(words), "style": .text(style)]
    }
}
