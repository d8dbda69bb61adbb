import TillCore
import TillStorage

/// Where the weather meets what is signed and answered.
extension Shop {
    /// An object as the weather of its environment leaves it; in fair weather the very bytes.
    ///
    /// - Parameter identity: what chance hangs on where the object has no id of its own.
    package func weathered(
        _ bytes: [UInt8],
        as object: WireObject,
        in scope: AccountScope,
        identity: String = ""
    ) -> [UInt8] {
        guard let weather = registry.weather(of: scope) else { return bytes }
        return WeatherFilter(weather, in: scope.environment).filtered(bytes, as: object, identity: identity)
    }

    /// Whether what nobody knows yet is told in an environment.
    func isTomorrow(in scope: AccountScope) -> Bool {
        if case .tomorrow? = registry.weather(of: scope) { true } else { false }
    }
}

extension TillCore.Notification {
    /// Whether one that no library knows follows it in tomorrow's weather: after every purchase.
    var isFollowedByTomorrow: Bool { type == .subscribed || type == .oneTimeCharge }
}

/// The notification that no library knows.
package enum TomorrowsNotice {
    /// `notificationType`.
    package static let type = "TOMORROW"
    /// `subtype`.
    package static let subtype = "UNHEARD_OF"
}
