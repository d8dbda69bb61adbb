/// The rule that decides on a refund request after the time limit for consumption data.
public enum RefundRule: String, Codable, CaseIterable, Sendable {
    /// The developer's preference decides. The refund is granted if the developer sent no consumption data.
    case followPreference
    case alwaysGrant
    case alwaysDecline
    /// The operator decides on each request.
    case byHand
}
