import TillCore
import TillStorage

/// Applies the payload profile to signed data and answers.
extension Shop {
    /// An object after applying the payload profile of its environment; under the default profile the same bytes.
    ///
    /// - Parameter identity: the source of randomness for an object without an id of its own.
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

    /// Whether an environment has the forward-compatible profile.
    func isForwardCompatible(in scope: AccountScope) -> Bool {
        if case .forwardCompatible? = registry.payloadProfile(of: scope) { true } else { false }
    }
}

extension TillCore.Notification {
    /// Whether the forward-compatible profile adds an unknown notification after this one: after every purchase.
    var isFollowedByFutureNotification: Bool { type == .subscribed || type == .oneTimeCharge }
}

/// The unknown notification of the forward-compatible profile.
package enum FutureNotification {
    /// `notificationType`.
    package static let type = "TOMORROW"
    /// `subtype`.
    package static let subtype = "UNHEARD_OF"
}
