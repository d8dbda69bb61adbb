import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// All customers of an app's environment.
    static let customers = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/customers",
        template: Template("customer-list", PackageResources.customer_list_mustache)
    ) { page in
        PageContent("Customers", ["list": try await CustomerList.value(page, after: page.value("after"), limit: 50)])
    }
}

/// A list of customers, shown by `{{>customers}}`, with a form to create one.
enum CustomerList {
    static func value(_ page: PageRequest, after: String?, limit: Int) async throws -> PageValue {
        let query = [(name: "limit", value: String(limit))] + (after.map { [(name: "after", value: $0)] } ?? [])
        let answer = try await page.ask("listCustomers", query: query)
        let path = "/console/apps/{bundleId}/{environment}/customers"
        let customers = (answer["customers"]?.elements ?? []).map { customer -> PageValue in
            let name = customer["customer"]?.text ?? ""
            let subscriptions = customer["subscriptions"]?.elements ?? []
            return [
                "name": .text(name), "link": PageValue(page.link(path + "/{customer}", ["customer": name])),
                "storefront": PageValue(customer["storefront"]?.text),
                "transactions": PageValue(customer["transactions"]?.text),
                "clock": PageValue(customer["clock"]?.text),
                "card": PageValue(customer["card"]?.text.map(Words.card)),
                "subscriptions": .list(
                    subscriptions.prefix(3).map {
                        ["product": PageValue($0["productId"]?.text), "status": SubscriptionWords.status($0)]
                    }
                ),
            ]
        }
        let next = answer["next"]?.text.flatMap { page.link(path, query: [(name: "after", value: $0)]) }
        return ["customers": .list(customers), "next": PageValue(next), "form": form.value(page)]
    }

    private static var form: ActionForm {
        ActionForm(
            "createCustomer",
            "Create customer",
            [
                .init("customer", "Name"), .init("storefront", "Storefront", hint: "USA, DEU, JPN"),
                .init(
                    "downloadsApp",
                    "App downloaded",
                    .choice([("", "Yes"), ("false", "No")])
                ),
            ]
        )
    }
}

/// A subscription's status with its style.
enum SubscriptionWords {
    static func status(_ subscription: JSONTree) -> PageValue {
        let (words, style) =
            switch subscription["status"]?.number {
            case 1?: ("active", "good")
            case 2?: ("expired", "over")
            case 3?: ("billing retry", "bad")
            case 4?: ("grace period", "warn")
            default: ("revoked", "over")
            }
        return ["words": .text(words), "style": .text(style)]
    }
}
