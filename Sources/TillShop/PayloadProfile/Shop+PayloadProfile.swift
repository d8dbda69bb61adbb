import TillCore
import TillStorage

/// Applies the payload profile to signed data and responses.
extension Shop {
    /// Returns an object with the payload profile of its environment applied. The default profile changes nothing.
    ///
    /// - Parameter identity: a text that replaces the id in the random choice, for an object without an id of its own.
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

    /// Whether an environment uses the forward-compatible profile.
    func isForwardCompatible(in scope: AccountScope) -> Bool {
        if case .forwardCompatible? = registry.payloadProfile(of: scope) { true } else { false }
    }
}

extension TillCore.Notification {
    /// Whether the forward-compatible profile sends an unknown notification after this notification. It does so after
    /// every purchase.
    var isFollowedByFutureNotification: Bool { type == .subscribed || type == .oneTimeCharge }
}

/// The unknown notification that the forward-compatible profile sends.
package enum FutureNotification {
    /// `notificationType`.
    package static let type = "TOMORROW"
    /// `subtype`.
    package static let subtype = "UNHEARD_OF"
}
