import Mustache
import TillStorage

/// All templates, parsed when the first page is rendered: the start of a server need not wait for them.
enum Templates {
    private static let library = parsed()

    /// The templates embedded in the binary: the name that other templates use to include it, and its UTF-8 text.
    private static let all: KeyValuePairs = [
        // Pages
        "audit": PackageResources.audit_mustache, "catalog": PackageResources.catalog_mustache,
        "confirmation": PackageResources.confirmation_mustache, "customer": PackageResources.customer_mustache,
        "customer-list": PackageResources.customer_list_mustache, "decoder": PackageResources.decoder_mustache,
        "environment": PackageResources.environment_mustache, "error": PackageResources.error_mustache,
        "faults": PackageResources.faults_mustache, "keys": PackageResources.keys_mustache,
        "notification": PackageResources.notification_mustache,
        "notifications": PackageResources.notifications_mustache, "overview": PackageResources.overview_mustache,
        "product": PackageResources.product_mustache, "request": PackageResources.request_mustache,
        "requests": PackageResources.requests_mustache, "sign-in": PackageResources.sign_in_mustache,
        "snapshots": PackageResources.snapshots_mustache, "transaction": PackageResources.transaction_mustache,
        "search": PackageResources.search_mustache, "comparison": PackageResources.comparison_mustache,
        // Parts that several pages share
        "action": PackageResources.action_mustache, "actions": PackageResources.actions_mustache,
        "clock": PackageResources.clock_mustache, "customers": PackageResources.customers_mustache,
        "decoded": PackageResources.decoded_mustache, "effect": PackageResources.effect_mustache,
        "facts": PackageResources.facts_mustache, "failing": PackageResources.failing_mustache,
        "field": PackageResources.field_mustache, "filter": PackageResources.filter_mustache,
        "jobs": PackageResources.jobs_mustache, "layout": PackageResources.layout_mustache,
        "menu-item": PackageResources.menu_item_mustache,
        "settings": PackageResources.settings_mustache, "subscription": PackageResources.subscription_mustache,
        "time": PackageResources.time_mustache, "tour": PackageResources.tour_mustache,
        "family": PackageResources.family_mustache, "member": PackageResources.member_mustache,
        "search-box": PackageResources.search_box_mustache,
        "compare-box": PackageResources.compare_box_mustache,
    ]

    private static func parsed() -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, text) in all {
            do {
                try library.register(String(decoding: text, as: UTF8.self), named: name)
            } catch {
                // A bug in Till, which the first test of any page finds.
                preconditionFailure("the template \(name) does not parse: \(error.logText)")
            }
        }
        return library
    }

    /// Renders a template with values.
    static func render(_ name: String, _ values: PageValue) -> String {
        library.render(values, withTemplate: name) ?? ""
    }
}
