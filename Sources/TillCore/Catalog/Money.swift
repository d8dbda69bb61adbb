/// An amount in thousandths of the currency unit: USD 1.99 is 1990, and JPY 300 is 300000 (docs/api/payloads.md).
package struct Money: Hashable, Codable, Sendable {
    /// The amount in thousandths of the currency unit.
    package var milliunits: Int64
    /// The ISO 4217 code: three capital letters.
    package var currency: String

    /// An amount in a currency.
    package init(milliunits: Int64, currency: String) {
        self.milliunits = milliunits
        self.currency = currency
    }

    /// The total for a quantity; nil if it overflows.
    package func times(_ quantity: Int) -> Money? {
        let (product, overflow) = milliunits.multipliedReportingOverflow(by: Int64(quantity))
        return overflow ? nil : Money(milliunits: product, currency: currency)
    }
}

/// The prices of a product or an offer: a default price, and different prices for some storefronts. `Catalog`
/// determines the price that applies (``Catalog/price(_:in:agreed:)``).
package struct PriceList: Hashable, Codable, Sendable {
    /// The price in the catalog's storefront. Every storefront without its own price uses the same number.
    package var standard: Money
    /// The prices of storefronts that have their own price, by ISO 3166-1 alpha-3 code.
    package var byStorefront: [String: Money]

    /// A default price, and the prices of storefronts that have their own.
    package init(standard: Money, byStorefront: [String: Money] = [:]) {
        self.standard = standard
        self.byStorefront = byStorefront
    }
}
