/// An amount in thousandths of a currency's unit: USD 1.99 is 1990, JPY 300 is 300000 (docs/api/payloads.md).
package struct Money: Hashable, Codable, Sendable {
    /// Thousandths of the currency's unit.
    package var milliunits: Int64
    /// ISO 4217, three capital letters.
    package var currency: String

    /// An amount of a currency.
    package init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }

    /// The amount for a quantity, or nil when it overflows.
    package func times(_ quantity: Int) -> Money? {
        let (product, overflow) = milliunits.multipliedReportingOverflow(by: Int64(quantity))
        return overflow ? nil : Money(milliunits: product, currency: currency)
    }
}

/// The price of a product or an offer: a default and exceptions for storefronts. `Catalog` decides which one applies
/// (``Catalog/price(_:in:agreed:)``).
package struct PriceList: Hashable, Codable, Sendable {
    /// The price in the catalog's storefront; its number applies in every storefront without a price of its own.
    package var standard: Money
    /// Prices by storefront (ISO 3166-1 alpha-3).
    package var byStorefront: [String: Money]

    /// A default price and the exceptions to it.
    package init(standard: Money, byStorefront: [String: Money] = [:]) {
        self.standard = standard
        self.byStorefront = byStorefront
    }
}
