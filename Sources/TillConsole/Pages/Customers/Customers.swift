import TillServer
import TillShop

extension ConsolePage {
    /// All customers of an app's environment, page by page.
    static let customers = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/customers",
        template: Template("customer-list", PackageResources.customer_list_mustache)
    ) { page in
        PageContent("Customers", ["list": try await CustomerList.value(page, after: page.value("after"), most: 50)])
    }
}

/// Customers as `{{>customers}}` shows them, and the form that makes one.
enum CustomerList {
    static func value(_ page: PageRequest, after: String?, most: Int) async throws -> PageValue {
        let query = [(name: "limit", value: String(most))] + (after.map { [(name: "after", value: $0)] } ?? [])
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
                "card": PageValue(customer["card"]?.text.map(Words.plain)),
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

    private static var form: ActForm {
        ActForm(
            "createCustomer",
            "Make a customer",
            [
                .init("customer", "Name"), .init("storefront", "Storefront", hint: "USA, DEU, JPN"),
                .init(
                    "downloadsApp",
                    "Downloaded the app",
                    .choice([("", "Yes"), ("false", "No")])
                ),
            ]
        )
    }
}

/// A subscription's status, in words and as a word for the style.
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
