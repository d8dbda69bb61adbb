import TillCore
import TillStorage

/// Where the payload profile meets what is signed and answered.
extension Shop {
    /// An object as the payload profile of its environment leaves it; in the default profile the very bytes.
    ///
    /// - Parameter identity: what chance hangs on where the object has no id of its own.
    package func applyingProfile(
        _ bytes: [UInt8],
        as object: WireObject,
        in scope: AccountScope,
        identity: String = ""
    ) -> [UInt8] {
        guard let payloadProfile = registry.payloadProfile(of: scope) else { return bytes }
        return PayloadProfileFilter(payloadProfile, in: scope.environment).filtered(
            bytes,
            as: object,
            identity: identity
        )
    }

    /// Whether what nobody knows yet is told in an environment.
    func isForwardCompatible(in scope: AccountScope) -> Bool {
        if case .forwardCompatible? = registry.payloadProfile(of: scope) { true } else { false }
    }
}

extension TillCore.Notification {
    /// Whether one that no library knows follows it in tomorrow's payload profile: after every purchase.
    var isFollowedByFutureNotification: Bool { type == .subscribed || type == .oneTimeCharge }
}

/// The notification that no library knows.
package enum FutureNotification {
    /// `notificationType`.
    package static let type = "TOMORROW"
    /// `subtype`.
    package static let subtype = "UNHEARD_OF"
}
