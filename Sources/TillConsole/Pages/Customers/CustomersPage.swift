import TillControl
import TillCore
import TillServer
import TillShop

extension ConsolePage {
    /// All customers of an app's environment.
    static let customers = ConsolePage(
        "\(scope)/customers",
        "customer-list",
        menu: "Customers",
        documentation: [.importing]
    ) { page in
        [
            "list": try await CustomerTable.value(page, after: page.value("after"), limit: ListLimit.elements),
            "import": try importForm(page),
        ]
    }

    /// The form to import a customer; nil if the environment is guarded, because an import creates a clock.
    private static func importForm(_ page: PageRequest) throws -> PageValue? {
        let app = try page.app
        guard !page.shop.settings.guards(app.environment) else { return nil }
        let help = "An object with answers, and optionally historyV1 and orders, as importCustomer takes it."
        return page.form(
            ImportCustomer(app: app, customer: ""),
            "Import customer",
            [
                .init("path.customer", "Name"), .init("clock", "Clock", help: "By default the name of the customer."),
                .init("anonymize", "Replace IDs and tokens"), .init("_document", "Answers as JSON", .lines, help: help),
            ],
            file: "Or a JSON file",
            needsFile: false
        )
    }
}

/// A list of customers, shown by `{{>customers}}`, with a form to create one.
enum CustomerTable {
    /// The maximum number of subscriptions that are shown for a customer.
    private static let maxSubscriptions = 3

    static func value(_ page: PageRequest, after: String?, limit: Int) async throws -> PageValue {
        let app = try page.app
        let list = try await page.send(ListCustomers(app: app, after: after, limit: limit))
        let hasClocks = list.customers.contains { $0.clock != nil }
        let catalog = page.shop.registry.catalog(of: app.bundleId)
        return [
            "hasClocks": hasClocks,
            "customers": list.customers.map { row($0, catalog, page).with(["hasClocks": hasClocks]) },
            "next": list.next.map { page.link(.customers, query: [(name: "after", value: $0)]) },
            "form": page.form(
                CreateCustomer(app: app, customer: ""),
                "Create customer",
                [
                    .init("customer", "Name"), .init("storefront", "Storefront", hint: "USA, DEU, JPN"),
                    .init("downloadsApp", "App downloaded", .choice([("", "Yes"), ("false", "No")])),
                ]
            ),
        ]
    }

    private static func row(_ customer: CustomerInfo, _ catalog: Catalog, _ page: PageRequest) -> PageValue {
        [
            "name": customer.customer, "link": page.link(toCustomer: customer.customer),
            "storefront": customer.storefront.code, "transactions": customer.transactions, "clock": customer.clock,
            "card": Words.card(customer.card),
            "subscriptions": customer.subscriptions.prefix(maxSubscriptions).listed {
                [
                    "product": catalog.products[$0.productId]?.referenceName ?? $0.productId,
                    "status": SubscriptionCard.status($0.status),
                ]
            },
        ]
    }
}
