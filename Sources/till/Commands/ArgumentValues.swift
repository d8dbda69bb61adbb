import ArgumentParser
import TillControl
import TillCore
import TillShop

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

extension Timestamp: ExpressibleByArgument {
    /// A date or a time.
    public init?(argument: String) {
        guard let instant = TimeExpression.instant(argument) else { return nil }
        self = instant
    }
}

/// A price on the command line, such as 5.99.
struct WrittenPrice: ExpressibleByArgument {
    let milliunits: Int64

    init?(argument: String) {
        guard let milliunits = Money.milliunits(argument) else { return nil }
        self.milliunits = milliunits
    }
}

/// The clock of a new customer on the command line: the name of a clock, or `new:` and the time at which a new clock
/// of the customer begins.
struct ClockOfNewCustomer: ExpressibleByArgument {
    private(set) var name: String?
    private(set) var start: Timestamp?

    init?(argument: String) {
        guard argument.hasPrefix("new:") else {
            name = argument
            return
        }
        guard let instant = Timestamp(argument: String(argument.dropFirst(4))) else { return nil }
        start = instant
    }
}
