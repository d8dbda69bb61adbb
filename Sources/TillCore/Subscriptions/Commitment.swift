/// A commitment of one year with monthly billing. Each month has its own transaction (docs/api/lifecycle.md,
/// Commitments).
///
/// Only the subscription stores whether the commitment renews for another year. A transaction stores its month and the
/// end of its year.
package struct Commitment: Codable, Equatable, Sendable {
    /// `billingPeriodNumber`, from 1 to `periods`.
    package var period: Int
    /// `totalBillingPeriods`.
    package var periods: Int
    /// `commitmentExpiresDate`.
    package var expiresDate: Timestamp
    /// `commitmentPrice`: the total of all monthly payments.
    package var price: Money

    /// One month of a commitment.
    package init(period: Int, periods: Int = 12, expiresDate: Timestamp, price: Money) {
        self.period = period
        self.periods = periods
        self.expiresDate = expiresDate
        self.price = price
    }

    /// Whether more months of the commitment follow this month.
    package var goesOn: Bool { period < periods }
}

extension Transaction {
    /// Whether the transaction is a month of a commitment and more months follow.
    var isBound: Bool { commitment?.goesOn == true }
}
