import ArgumentParser
import TillControl

// Values of the App Store on the command line, with the same text as in the control API.

extension StoreEnvironment: ExpressibleByArgument {}
extension BillingPlanType: ExpressibleByArgument {}
extension ConsumptionRequestReason: ExpressibleByArgument {}

extension Storefront: ExpressibleByArgument {
    /// The storefront with this code.
    public init?(argument: String) { self.init(code: argument) }
}
