import Crypto
import Foundation
import TillCore
import TillStorage

/// A position in the notification history of an app's environment. `CursorSeal` encodes it as the `paginationToken`.
package struct NotificationCursor: Equatable, Sendable {
    /// Eight bytes of a hash of the app, its environment and the request's filters. A client must repeat the filters
    /// when it sends the token.
    package var filters: UInt64
    /// The signing date of the last notification on the previous page.
    package var signedDate: Timestamp
    /// The id of the last notification on the previous page. It distinguishes notifications with the same date.
    package var id: NotificationID

    /// Creates a position in a notification history.
    package init(filters: UInt64, signedDate: Timestamp, id: NotificationID) {
        self.filters = filters
        self.signedDate = signedDate
        self.id = id
    }

    /// Hashes the filters of a request.
    ///
    /// - Parameter filters: the client's filter values in a fixed order; nil for each filter that the request lacks.
    package static func digest(of scope: AccountScope, _ filters: [String?]) -> UInt64 {
        let words = [scope.environment.rawValue, scope.app] + filters.map { $0.map { "=\($0)" } ?? "" }
        let text = words.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return SHA256.hash(data: Data(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension NotificationCursor: SealedPosition {
    /// The version and the kind.
    package static let headLength = 2
    /// The version, and the kind, which no history has.
    package var head: [UInt8] { [2, 16] }
    package var numbers: [Int64] { [Int64(bitPattern: filters), signedDate.milliseconds, id.number] }

    /// A position from its parts; nil if they are not those of a position in the notification history.
    package init?(head: [UInt8], numbers: [Int64]) {
        guard head == [2, 16], numbers.count == 3 else { return nil }
        self.init(
            filters: UInt64(bitPattern: numbers[0]),
            signedDate: Timestamp(milliseconds: numbers[1]),
            id: NotificationID(numbers[2])
        )
    }
}
