/// A year with monthly billing: one transaction for each month (docs/api/lifecycle.md, Commitments).
///
/// The subscription knows whether another year follows; a transaction only says which month of which year it is.
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

    /// Whether the commitment continues after this month.
    package var goesOn: Bool { period < periods }
}

extension Transaction {
    /// Whether it is a month of a commitment that continues after it.
    var isBound: Bool { commitment?.goesOn == true }
}
