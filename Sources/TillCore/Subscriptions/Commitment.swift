/// A year that is billed monthly: one row a month, and a promise to stay (docs/api/lifecycle.md, Commitments).
///
/// Whether another year follows is the subscription's to know; a row only says which month of which year it is.
package struct Commitment: Codable, Equatable, Sendable {
    /// `billingPeriodNumber`, 1 to `periods`.
    package var period: Int
    /// `totalBillingPeriods`.
    package var periods: Int
    /// `commitmentExpiresDate`.
    package var expiresDate: Timestamp
    /// `commitmentPrice`: all its payments together.
    package var price: Money

    /// A month of a commitment.
    package init(period: Int, periods: Int = 12, expiresDate: Timestamp, price: Money) {
        self.period = period
        self.periods = periods
        self.expiresDate = expiresDate
        self.price = price
    }

    /// Whether it binds the customer beyond this month.
    package var goesOn: Bool { period < periods }
}

extension Transaction {
    /// Whether it is a month of a commitment that continues beyond it.
    var isBound: Bool { commitment?.goesOn == true }
}
