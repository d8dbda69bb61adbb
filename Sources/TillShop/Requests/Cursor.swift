import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A place in a customer's history that a client may keep for ever: the `revision` of the history routes.
package struct Cursor: Equatable, Sendable {
    /// Which family of routes the cursor belongs to; one is not good for another.
    package enum Route: UInt8, Sendable {
        case historyV2 = 1
        case historyV1 = 2
        case refunds = 3
    }

    /// Checked when the cursor comes back; another family of routes refuses it.
    package var route: Route
    package var account: AccountID
    /// The order of reading, which must be repeated with the cursor; refunds always ascend.
    package var isAscending: Bool
    /// Eight bytes of a hash over the filters, which must be repeated with the cursor.
    package var filters: UInt64
    /// The change number, or refund number, of the last row that was read.
    package var position: Int64
    /// The course of events in which that was its number (`Shop.restoreEpoch`).
    package var restoreEpoch: Int64

    /// A place in a history.
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

/// Seals cursors under a key that lives in the store, so that they survive restarts, nodes and restores and none can be
/// made up outside.
package struct CursorSeal: Sendable {
    private let key: SymmetricKey
    static let version: UInt8 = 2
    /// The bytes of a cursor by its version; the first had no restore epoch, and there was but one.
    private static let bodyLengths: [UInt8: Int] = [1: 27, 2: 35]
    static let sealLength = 16

    /// Reads the key from the store, and makes it the first time.
    init(storage: any Storage) async throws {
        let new = SymmetricKey(size: .bits256).withUnsafeBytes { Base64.encode(Array($0)) }
        // Another server may start on an empty store at the same time.
        let kept = try await storage.keep(try Document(kind: .shop, name: "cursor-key", encoding: new))
        guard let bytes = Base64.decode(try kept.decoded(as: String.self)) else {
            throw ShopDamaged(what: "the key under which cursors are sealed is damaged")
        }
        key = SymmetricKey(data: bytes)
    }

    /// The opaque text of a cursor: base64url, 68 characters.
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

    /// Reads a cursor back; nil for anything that this store did not seal.
    package func open(_ text: String) -> Cursor? {
        guard
            text.utf8.count <= 128, let bytes = Base64URL.decode(text), let version = bytes.first,
            let bodyLength = Self.bodyLengths[version], bytes.count == bodyLength + Self.sealLength
        else { return nil }
        let body = Array(bytes.prefix(bodyLength))
        let difference = zip(code(for: body), bytes.suffix(Self.sealLength)).reduce(0) { $0 | ($1.0 ^ $1.1) }
        guard difference == 0, let route = Cursor.Route(rawValue: body[1]) else { return nil }
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

    /// A key that every server of the store has, for one purpose and no other.
    package func key(for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("key/\(purpose)".utf8), using: key))
    }

    /// The seal over some bytes.
    func code(for body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(Self.sealLength))
    }
}

extension HistoryFilter {
    /// A number that equal filters share and others do not, whatever the order in which they were written.
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
