import Foundation

/// What became of a purchase whose refund a customer requests, in version 1 (docs/api/consumption.md).
///
/// Every property but the first and the last has a value for "undeclared", which is the default.
public struct ConsumptionRequestV1: Encodable, Sendable {
    /// How much of the purchase the customer used.
    public enum ConsumptionStatus: Int, Encodable, Sendable {
        case undeclared, notConsumed, partiallyConsumed, fullyConsumed
    }

    /// Where the customer used it.
    public enum Platform: Int, Encodable, Sendable {
        case undeclared, apple, nonApple
    }

    /// Whether the purchase was delivered.
    public enum DeliveryStatus: Int, Encodable, Sendable {
        case deliveredAndWorking, qualityIssue, wrongItem, serverOutage, currencyChange, other
    }

    /// The age of the customer's account in days; the upper limit is excluded.
    public enum AccountTenure: Int, Encodable, Sendable {
        case undeclared, from0To3, from3To10, from10To30, from30To90, from90To180, from180To365, over365
    }

    /// How long the customer used the app.
    public enum PlayTime: Int, Encodable, Sendable {
        case undeclared, upTo5Minutes, upTo60Minutes, upTo6Hours, upTo24Hours, upTo4Days, upTo16Days, over16Days
    }

    /// An amount in US dollars.
    public enum LifetimeDollars: Int, Encodable, Sendable {
        case undeclared, zero, below50, below100, below500, below1000, below2000, from2000
    }

    /// The state of the customer's account.
    public enum UserStatus: Int, Encodable, Sendable {
        case undeclared, active, suspended, terminated, limitedAccess
    }

    /// The decision that you prefer.
    public enum RefundPreferenceV1: Int, Encodable, Sendable {
        case undeclared, grant, decline, noPreference
    }

    /// Whether the customer consented to this information being sent. The App Store refuses `false`.
    public var customerConsented: Bool
    /// Whether the customer could try the content before the purchase.
    public var sampleContentProvided: Bool
    /// How much of the purchase the customer used.
    public var consumptionStatus = ConsumptionStatus.undeclared
    /// Where the customer used it.
    public var platform = Platform.undeclared
    /// Whether the purchase was delivered.
    public var deliveryStatus: DeliveryStatus
    /// The app's UUID for the customer, or empty.
    public var appAccountToken: String
    /// The age of the customer's account.
    public var accountTenure = AccountTenure.undeclared
    /// How long the customer used the app.
    public var playTime = PlayTime.undeclared
    /// The refunds that the customer got, in all apps.
    public var lifetimeDollarsRefunded = LifetimeDollars.undeclared
    /// The purchases of the customer, in all apps.
    public var lifetimeDollarsPurchased = LifetimeDollars.undeclared
    /// The state of the customer's account.
    public var userStatus = UserStatus.undeclared
    /// The decision that you prefer; nil to leave it out.
    public var refundPreference: RefundPreferenceV1?

    /// Information about a purchase. Set the other properties as far as you know them.
    public init(
        customerConsented: Bool,
        sampleContentProvided: Bool,
        deliveryStatus: DeliveryStatus,
        appAccountToken: UUID? = nil
    ) {
        (self.customerConsented, self.sampleContentProvided) = (customerConsented, sampleContentProvided)
        self.deliveryStatus = deliveryStatus
        self.appAccountToken = appAccountToken?.uuidString.lowercased() ?? ""
    }
}
