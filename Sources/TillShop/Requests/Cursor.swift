import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A position in a customer's history that a client may keep forever: the `revision` of the history routes.
package struct Cursor: Equatable, Sendable {
    /// The family of routes that the cursor belongs to.
    package enum Route: UInt8, Sendable {
        case historyV2 = 1
        case historyV1 = 2
        case refunds = 3
    }

    /// Checked when the client sends the cursor; another family of routes rejects it.
    package var route: Route
    package var account: AccountID
    /// The sort order, which must be repeated with the cursor; refunds are always ascending.
    package var isAscending: Bool
    /// Eight bytes of a hash of the filters, which must be repeated with the cursor.
    package var filters: UInt64
    /// The change number, or refund number, of the last row that was read.
    package var position: Int64
    /// The restore epoch of the position (`Shop.restoreEpoch`).
    package var restoreEpoch: Int64

    /// A position in a history.
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

/// Seals cursors with a key from the store, so that they survive restarts and restores, work on every node, and cannot
/// be forged.
package struct CursorSeal: Sendable {
    private let key: SymmetricKey
    static let version: UInt8 = 2
    /// The length of a cursor's body by its version; version 1 had no restore epoch.
    private static let bodyLengths: [UInt8: Int] = [1: 27, 2: 35]
    static let sealLength = 16

    /// Reads the key from the store; creates it the first time.
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

    /// Opens a sealed cursor; nil for anything that this store did not seal.
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

    /// A key for one purpose, the same on every server of the store.
    package func key(for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("key/\(purpose)".utf8), using: key))
    }

    /// The seal of some bytes.
    func code(for body: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: body, using: key).prefix(Self.sealLength))
    }
}

extension HistoryFilter {
    /// A hash of the filters, independent of the order in which their values were written.
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
