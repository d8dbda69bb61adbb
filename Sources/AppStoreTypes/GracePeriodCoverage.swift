/// The failed renewals that start a grace period (`renewalType` in the App Store Connect API).
public enum GracePeriodCoverage: String, Codable, CaseIterable, Sendable {
    /// All renewals, including the first payment after a free trial or an offer.
    case allRenewals = "ALL_RENEWALS"
    /// Renewals after a paid period.
    case paidToPaidOnly = "PAID_TO_PAID_ONLY"
}
