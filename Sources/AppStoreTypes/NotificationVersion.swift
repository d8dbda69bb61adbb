/// The version of App Store Server Notifications.
public enum NotificationVersion: Int, Codable, CaseIterable, Sendable {
    /// Version 1: JSON with a unified receipt, authenticated by the shared secret (docs/api/notifications-v1.md).
    case one = 1
    /// Version 2: a signed payload (docs/api/notifications.md).
    case two = 2
}
