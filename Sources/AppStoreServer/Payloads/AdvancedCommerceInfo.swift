import Foundation

/// `advancedCommerceInfo` of a transaction or of renewal information.
public struct AdvancedCommerceInfo: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The items of the purchase.
    public var items: [AdvancedCommerceItem] { raw["items"] ?? [] }
    /// The texts that the customer sees.
    public var descriptors: AdvancedCommerceDescriptors? { raw["descriptors"] }
    /// The period of the subscription, as an ISO 8601 duration.
    public var period: String? { raw["period"] }
    /// The id of the request that made the purchase.
    public var requestReferenceId: UUID? { raw["requestReferenceId"] }
    /// The tax code.
    public var taxCode: String? { raw["taxCode"] }
    /// The estimated tax, in thousandths of the currency; only in transactions.
    public var estimatedTax: Int64? { raw["estimatedTax"] }
    /// The price without tax, in thousandths of the currency; only in transactions.
    public var taxExclusivePrice: Int64? { raw["taxExclusivePrice"] }
    /// The tax rate as a decimal number, such as `0`; only in transactions.
    public var taxRate: String? { raw["taxRate"] }
    /// The token for the next request that changes the subscription; only in renewal information.
    public var consistencyToken: String? { raw["consistencyToken"] }
}

/// `descriptors` of a purchase with Advanced Commerce.
public struct AdvancedCommerceDescriptors: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The name.
    public var displayName: String? { raw["displayName"] }
    /// The key `description`.
    public var descriptionText: String? { raw["description"] }
}

/// An item of a purchase with Advanced Commerce.
public struct AdvancedCommerceItem: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// `SKU`: the id of the item.
    public var sku: String? { raw["SKU"] }
    /// The name.
    public var displayName: String? { raw["displayName"] }
    /// The key `description`.
    public var descriptionText: String? { raw["description"] }
    /// The price, in thousandths of the currency.
    public var price: Int64? { raw["price"] }
    /// The offer of the item.
    public var offer: AdvancedCommerceOffer? { raw["offer"] }
    /// The refunds of the item; only in transactions.
    public var refunds: [AdvancedCommerceRefund] { raw["refunds"] ?? [] }
    /// When the item was revoked; only in transactions.
    public var revocationDate: Timestamp? { raw["revocationDate"] }
    /// The pending price increase; only in renewal information.
    public var priceIncreaseInfo: AdvancedCommercePriceIncrease? { raw["priceIncreaseInfo"] }
}

/// The offer of an item.
public struct AdvancedCommerceOffer: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The period, as an ISO 8601 duration.
    public var period: String? { raw["period"] }
    /// The number of periods.
    public var periodCount: Int? { raw["periodCount"] }
    /// The price, in thousandths of the currency.
    public var price: Int64? { raw["price"] }
    /// `ACQUISITION`, `WIN_BACK` or `RETENTION`.
    public var reason: String? { raw["reason"] }
}

/// A refund of an item.
public struct AdvancedCommerceRefund: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The refunded amount, in thousandths of the currency.
    public var refundAmount: Int64? { raw["refundAmount"] }
    /// The date of the refund.
    public var refundDate: Timestamp? { raw["refundDate"] }
    /// The reason, such as `UNINTENDED_PURCHASE`.
    public var refundReason: String? { raw["refundReason"] }
    /// `FULL`, `PRORATED` or `CUSTOM`.
    public var refundType: String? { raw["refundType"] }
}

/// The pending price increase of an item.
public struct AdvancedCommercePriceIncrease: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The items whose price depends on this one.
    public var dependentSKUs: [String] { raw["dependentSKUs"] ?? [] }
    /// The new price, in thousandths of the currency.
    public var price: Int64? { raw["price"] }
    /// `SCHEDULED`, `PENDING` or `ACCEPTED`.
    public var status: String? { raw["status"] }
}
