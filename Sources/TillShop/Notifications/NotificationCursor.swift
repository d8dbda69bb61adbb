import Crypto
import Foundation
import TillCore
import TillSigning
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

/// Seals pagination tokens in the same way as `revision` tokens. The second byte distinguishes the two kinds.
extension CursorSeal {
    private static let kind: UInt8 = 16
    private static let length = 26

    /// Encodes and seals a position as opaque text: base64url, 56 characters.
    package func seal(_ cursor: NotificationCursor) -> String {
        var bytes: [UInt8] = [Self.version, Self.kind]
        for number in [cursor.filters, UInt64(bitPattern: cursor.signedDate.milliseconds)] {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        withUnsafeBytes(of: cursor.id.number.bigEndian) { bytes.append(contentsOf: $0) }
        bytes += code(for: bytes)
        return String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }

    /// Decodes a sealed position; nil if the text was not sealed with this database's key.
    package func openNotification(_ text: String) -> NotificationCursor? {
        guard
            text.utf8.count <= 128, let bytes = Base64URL.decode(text), bytes.count == Self.length + Self.sealLength
        else { return nil }
        let body = Array(bytes.prefix(Self.length))
        guard ConstantTime.areEqual(code(for: body), bytes.suffix(Self.sealLength)), body[0] == Self.version,
            body[1] == Self.kind
        else { return nil }
        func number(at start: Int) -> UInt64 {
            body[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return NotificationCursor(
            filters: number(at: 2),
            signedDate: Timestamp(milliseconds: Int64(bitPattern: number(at: 10))),
            id: NotificationID(Int64(bitPattern: number(at: 18)))
        )
    }
}
