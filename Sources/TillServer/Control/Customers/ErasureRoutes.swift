import TillControl
import TillCore
import TillShop
import TillStorage

/// The operation that erases a customer.
extension ControlAPI {
    var erasureRoutes: [ControlRoute] {
        [
            ControlRoute(EraseCustomer.self) { call in
                let isDryRun = call.dryRun ?? false
                // A snapshot can contain all apps.
                if call.removeSnapshots == true {
                    try Principal.current?.check(.operate, for: "removeSnapshots", of: nil)
                }
                let customer = try call.customerName()
                let erased = try await shop.eraseCustomer(
                    customer,
                    removingSnapshots: call.removeSnapshots ?? false,
                    isDryRun: isDryRun
                )
                return ErasureInfo(erased, of: customer.customer, isDryRun: isDryRun)
            }
        ]
    }
}

extension ErasureInfo {
    fileprivate init(_ erased: ErasedCustomer, of customer: String, isDryRun: Bool) {
        self.init(
            customer: customer,
            dryRun: isDryRun,
            transactions: erased.belongings.transactions,
            notificationsErased: erased.belongings.notifications,
            deliveries: erased.belongings.deliveries,
            requestLogEntries: erased.requestLogEntries,
            faults: erased.faults,
            family: erased.family,
            notifications: erased.notifications.map { Notice($0.type, $0.subtype).words },
            snapshots: erased.snapshots,
            removedSnapshots: erased.removedSnapshots
        )
    }
}
