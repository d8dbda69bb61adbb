import TillControl
import TillShop

/// What to click first in the demo shop, shown by `{{>tour}}` on the overview.
enum Tour {
    /// The value; nil without the demo app, and without its customer.
    static func value(_ page: PageRequest) async throws -> PageValue? {
        let app = AppEnvironment(DemoCatalog.bundleID)
        guard page.shop.registry.app(app.bundleId) != nil else { return nil }
        do {
            _ = try await page.send(GetCustomer(app: app, customer: Demo.customer))
        } catch {
            // The customer was deleted, or the token does not permit this app.
            return nil
        }
        return [
            "name": Demo.customer, "customer": page.link(toCustomer: Demo.customer, of: app),
            "endpoints": page.link(toEnvironment: app) + EnvironmentSettingsForm.endpoints,
            "snapshots": page.link(.snapshots),
        ]
    }
}
