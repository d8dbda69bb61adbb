import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A position in a customer's transaction or refund history. `CursorSeal` encodes it as the `revision`, which a client
/// may keep forever.
package struct Cursor: Equatable, Sendable {
    /// The endpoints that accept the cursor.
    package enum Route: UInt8, Sendable {
        case historyV2 = 1
        case historyV1 = 2
        case refunds = 3
    }

    /// The endpoints that accept the cursor. All other endpoints reject it.
    package var route: Route
    package var account: AccountID
    /// The sort order, which the client must repeat when it sends the cursor. Refunds are always ascending.
    package var isAscending: Bool
    /// Eight bytes of a hash of the filters, which the client must repeat when it sends the cursor.
    package var filters: UInt64
    /// The change number, or refund number, of the last transaction on the previous page.
    package var position: Int64
    /// The restore epoch of the position (`Shop.restoreEpoch`).
    package var restoreEpoch: Int64

    /// Creates a position in a history.
    package init(
        route: Route,
        account: AccountID,
        isAscending: Bool = true,
        filters: UInt64 = 0,
        position: Int64,
        restoreEpoch: Int64 = 0
    ) {
        self.route = route
        self.account = account
        self.isAscending = isAscending
        self.filters = filters
        self.position = position
        self.restoreEpoch = restoreEpoch
    }
}

/// Encodes cursors and authenticates them with a key from the database. Cursors therefore remain valid after restarts
/// and restores, work on every node, and cannot be forged.
package struct CursorSeal: Sendable {
    private let key: SymmetricKey
    static let version: UInt8 = 2
    /// The length of a cursor's body for each version of the format. Version 1 had no restore epoch.
    private static let bodyLengths: [UInt8: Int] = [1: 27, 2: 35]
    static let sealLength = 16

    /// Reads the key from the database, or creates it if it is missing.
    init(storage: any Storage) async throws {
        let new = SymmetricKey(size: .bits256).withUnsafeBytes { Base64.encode(Array($0)) }
        // Another server may start with the same empty database at the same time, so the first stored key wins.
        let kept = try await storage.keep(try Document(kind: .shop, name: "cursor-key", encoding: new))
        guard let bytes = Base64.decode(try kept.decoded(as: String.self)) else {
            throw ShopDamaged(what: "the key that signs history cursors is damaged")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Encodes and seals a cursor as opaque text: base64url, 68 characters.
    package func seal(_ cursor: Cursor) -> String {
        var bytes: [UInt8] = [Self.version, cursor.route.rawValue, cursor.isAscending ? 1 : 0]
        let numbers = [
            UInt64(bitPattern: cursor.account.number), cursor.filters, UInt64(bitPattern: cursor.position),
            UInt64(bitPattern: cursor.restoreEpoch),
        ]
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        bytes += code(for: bytes)
        return String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }

    /// Decodes a sealed cursor; nil if the text was not sealed with this database's key.
    package func open(_ text: String) -> Cursor? {
        guard
            text.utf8.count <= 128, let bytes = Base64URL.decode(text), let version = bytes.first,
            let bodyLength = Self.bodyLengths[version], bytes.count == bodyLength + Self.sealLength
        else { return nil }
        let body = Array(bytes.prefix(bodyLength))
        guard ConstantTime.areEqual(code(for: body), bytes.suffix(Self.sealLength)),
            let route = Cursor.Route(rawValue: body[1])
        else { return nil }
        func number(at start: Int) -> UInt64 {
            body[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return Cursor(
            route: route,
            account: AccountID(Int64(bitPattern: number(at: 3))),
            isAscending: body[2] == 1,
            filters: number(at: 11),
            position: Int64(bitPattern: number(at: 19)),
            restoreEpoch: version == 1 ? 0 : Int64(bitPattern: number(at: 27))
        )
    }

    /// Derives a key for one purpose. All servers of the database derive the same key.
    package func key(for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("key/\(purpose)".utf8), using: key))
    }

    /// Computes the seal of a cursor's body: a shortened HMAC.
    func code(for body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(Self.sealLength))
    }
}

extension HistoryFilter {
    /// A hash of the filters. The order in which a client sends the values of a filter does not matter.
    package var digest: UInt64 {
        var text = ""
        func add(_ name: String, _ values: [String]) {
            text += "\(name)=\(values.map { "\($0.utf8.count):\($0)" }.joined(separator: ","))\n"
        }
        add("start", startDate.map { [String($0.milliseconds)] } ?? [])
        add("end", endDate.map { [String($0.milliseconds)] } ?? [])
        add("products", productIDs.sorted())
        add("types", productTypes.map(\.rawValue).sorted())
        add("ownership", ownership.map { [$0.rawValue] } ?? [])
        add("groups", groups.sorted())
        add("revoked", revoked.map { [String($0)] } ?? [])
        return SHA256.hash(data: Data(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
