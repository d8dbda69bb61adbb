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
    /// The restore epoch of the position (`Shop.restoreEpoch(of:)`).
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

extension Cursor: SealedPosition {
    /// The version, the route and the order.
    package static let headLength = 3
    package var head: [UInt8] { [2, route.rawValue, isAscending ? 1 : 0] }
    package var numbers: [Int64] { [account.number, Int64(bitPattern: filters), position, restoreEpoch] }

    /// A position from its parts; nil if they are not those of a position in a history.
    package init?(head: [UInt8], numbers: [Int64]) {
        // Version 1 had no restore epoch.
        guard [1: 3, 2: 4][head[0]] == numbers.count, let route = Route(rawValue: head[1]) else { return nil }
        self.init(
            route: route,
            account: AccountID(numbers[0]),
            isAscending: head[2] == 1,
            filters: UInt64(bitPattern: numbers[1]),
            position: numbers[2],
            restoreEpoch: numbers.count > 3 ? numbers[3] : 0
        )
    }
}

/// A position in a list. A client gets it as opaque text, and sends it back to get the next page.
package protocol SealedPosition: Sendable {
    /// The number of bytes of `head`.
    static var headLength: Int { get }
    /// The version of the format, the kind of position, and other single bytes.
    var head: [UInt8] { get }
    /// All other parts of the position.
    var numbers: [Int64] { get }
    /// Reads a position; nil for another kind or an unknown version.
    init?(head: [UInt8], numbers: [Int64])
}

/// Seals positions with a key from the database. The texts therefore remain valid after restarts
/// and restores, work on every node, and cannot be forged.
package struct CursorSeal: Sendable {
    private let key: SymmetricKey
    private static let sealLength = 16

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

    /// Seals a position as opaque text: base64url, 68 characters for a `Cursor`.
    package func seal(_ position: some SealedPosition) -> String {
        let numbers = position.numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        let body = position.head + numbers
        return String(decoding: Base64URL.encode(body + code(for: body)), as: UTF8.self)
    }

    /// Reads a sealed position; nil if the text was not sealed with this database's key, or is of another kind.
    package func open<Position: SealedPosition>(_ text: String) -> Position? {
        guard text.utf8.count <= 128, let bytes = Base64URL.decode(text) else { return nil }
        let body = Array(bytes.dropLast(Self.sealLength))
        let places = stride(from: Position.headLength, to: body.count, by: 8)
        guard
            body.count > Position.headLength, (body.count - Position.headLength).isMultiple(of: 8),
            ConstantTime.areEqual(code(for: body), bytes.suffix(Self.sealLength))
        else { return nil }
        return Position(
            head: Array(body.prefix(Position.headLength)),
            numbers: places.map { place in body[place..<place + 8].reduce(0) { $0 << 8 | Int64($1) } }
        )
    }

    /// Derives a key for one purpose. All servers of the database derive the same key.
    package func key(for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("key/\(purpose)".utf8), using: key))
    }

    /// Computes the seal of a body: a shortened HMAC.
    private func code(for body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(Self.sealLength))
    }
}

extension HistoryFilter {
    /// A hash of the filters. The order in which a client sends the values of a filter does not matter.
    package var digest: UInt64 { self == HistoryFilter() ? Self.digestOfNone : computedDigest }

    /// Most requests have no filters.
    private static let digestOfNone = HistoryFilter().computedDigest

    private var computedDigest: UInt64 {
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
