import ArgumentParser
import TillControl

// Values of the App Store on the command line, with the same text as in the control API.

extension StoreEnvironment: ExpressibleByArgument {}
extension BillingPlanType: ExpressibleByArgument {}
extension ControlScope: ExpressibleByArgument {}
extension ConsumptionRequestReason: ExpressibleByArgument {}
extension FaultKind: ExpressibleByArgument {}
extension GracePeriodCoverage: ExpressibleByArgument {}
extension MissingPrice: ExpressibleByArgument {}
extension OCSPFailure: ExpressibleByArgument {}
extension OCSPRevocationReason: ExpressibleByArgument {}
extension OCSPStatus: ExpressibleByArgument {}
extension RefundRule: ExpressibleByArgument {}
extension RenewalRateChoice: ExpressibleByArgument {}

extension Storefront: ExpressibleByArgument {
    /// The storefront with this code.
    public init?(argument: String) { self.init(code: argument) }
}

extension PriceConsent: ExpressibleByArgument {
    /// The value with this word on the command line.
    public init?(argument: String) {
        guard let value = Self.allCases.first(where: { $0.word == argument }) else { return nil }
        self = value
    }

    /// The words on the command line, for messages and help.
    public static var allValueStrings: [String] { allCases.map(\.word) }

    private var word: String { self == .notNeeded ? "not-needed" : rawValue }
}
