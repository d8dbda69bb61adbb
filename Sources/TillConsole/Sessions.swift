import Crypto
import Foundation
import Hummingbird
import Synchronization
import TillCore
import TillServer
import TillShop
import TillSigning

/// A browser session, identified by a cookie. Its forms carry a CSRF token derived from the cookie.
struct Session: Equatable, Sendable {
    /// The cookie's value.
    let cookie: String
    /// Whether the browser does not have the cookie yet.
    var isNew = false
    /// Who uses the session. Operations check what the caller may do.
    var caller = Principal.console
}

/// Controls access to the pages. If the control API requires no token, every client on the port has access; otherwise a
/// user signs in with a token. The cookie contains its expiry date, the token's name, and an HMAC that every node of
/// the database can verify. It becomes invalid when the token is revoked. A node remembers only its own sign-outs.
struct Sessions: Sendable {
    private let shop: Shop
    /// The administrator's token; nil if the control API requires no token.
    private let token: String?
    private let key: SymmetricKey
    private let formKey: SymmetricKey
    private let signedOut = SignedOut()

    static let cookieName = "till-console"
    /// How long a sign-in is valid.
    static let seconds: Int64 = 12 * 3_600

    init(_ shop: Shop, token: String?) {
        self.shop = shop
        self.token = token
        key = SymmetricKey(data: shop.cursors.key(for: "console session"))
        formKey = SymmetricKey(data: shop.cursors.key(for: "console form"))
    }

    /// Whether users must sign in.
    var isGuarded: Bool { token != nil }

    /// The session of a request; nil if the user must sign in.
    func session(of request: Request) async throws -> Session? {
        guard isGuarded else { return visitor(of: request) }
        guard let cookie = Self.cookie(of: request), let caller = try await caller(of: cookie) else { return nil }
        return Session(cookie: cookie, caller: caller)
    }

    /// A session without access rights. It only protects forms against CSRF.
    func visitor(of request: Request) -> Session {
        if let cookie = Self.cookie(of: request), (32...512).contains(cookie.utf8.count) {
            return Session(cookie: cookie)
        }
        return Session(cookie: Self.random(), isNew: true)
    }

    /// A session for a valid token; nil for any other text.
    ///
    /// - Throws: `ControlError` for a token that does not permit to read all apps.
    func begin(with given: String) async throws -> Session? {
        guard let token else { return nil }
        let holder: Holder
        if ConstantTime.areEqual(given.utf8, token.utf8) {
            holder = Holder(secret: token, caller: .administrator)
        } else if let named = try await shop.tokens.token(given) {
            holder = Self.holder(named)
            try holder.caller.check(.read, for: "The console", of: nil)
        } else {
            return nil
        }
        let end = shop.wallClock().milliseconds + Self.seconds * 1_000
        let body = "\(end).\(Self.random()).\(Self.text(Array(holder.name.utf8)))"
        return Session(cookie: "\(body).\(code(of: body, holder))", isNew: true, caller: holder.caller)
    }

    /// Whether a cookie is valid.
    func isValid(_ cookie: String) async throws -> Bool { try await caller(of: cookie) != nil }

    /// Who uses a session; nil for an invalid cookie. A cookie is valid if `begin` issued it, it has not expired, no
    /// one signed out with it on this node, and its token is not revoked.
    private func caller(of cookie: String) async throws -> Principal? {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard
            parts.count == 4, cookie.utf8.count <= 512, let end = Int64(parts[0]),
            end > shop.wallClock().milliseconds, !signedOut.has(cookie), let name = Base64URL.decode(parts[2]),
            let holder = try await holder(named: String(decoding: name, as: UTF8.self))
        else { return nil }
        let code = code(of: parts[0..<3].joined(separator: "."), holder)
        return ConstantTime.areEqual(code.utf8, parts[3].utf8) ? holder.caller : nil
    }

    /// Ends the session on this node for every browser that has its cookie.
    func end(_ session: Session) {
        guard isGuarded, let end = session.cookie.split(separator: ".").first.flatMap({ Int64($0) }) else { return }
        signedOut.add(session.cookie, until: end, now: shop.wallClock().milliseconds)
    }

    /// The token of a session.
    private struct Holder {
        /// The name in the cookie; empty for the administrator's token.
        var name = ""
        /// The value from which the HMAC of the cookie is derived.
        let secret: String
        let caller: Principal
    }

    private static func holder(_ token: ControlToken) -> Holder {
        Holder(name: token.name, secret: token.digest, caller: Principal(token))
    }

    /// The token with a name; nil if it does not exist.
    private func holder(named name: String) async throws -> Holder? {
        guard name.isEmpty else { return try await shop.tokens.all().first { $0.name == name }.map(Self.holder) }
        return token.map { Holder(secret: $0, caller: .administrator) }
    }

    /// The HMAC of a cookie for a token.
    private func code(of body: String, _ holder: Holder) -> String {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data(SHA256.hash(data: Data(holder.secret.utf8))))
        hash.update(data: Data(body.utf8))
        return Self.text(Array(hash.finalize()))
    }

    // MARK: Forms

    /// The CSRF token of a session's forms.
    func proof(for session: Session) -> String {
        Self.text(Array(HMAC<SHA256>.authenticationCode(for: Data(session.cookie.utf8), using: formKey)))
    }

    /// Whether a CSRF token belongs to the session.
    func isProof(_ text: String?, for session: Session) -> Bool {
        guard let text, !session.isNew else { return false }
        return ConstantTime.areEqual(text.utf8, proof(for: session).utf8)
    }

    // MARK: Cookies

    private static func cookie(of request: Request) -> String? { request.cookies[cookieName]?.value }

    /// The header that sets a session's cookie; a nil session deletes the cookie.
    func header(_ session: Session?, isSecure: Bool) -> String {
        var text = "\(Self.cookieName)=\(session?.cookie ?? ""); Path=/console; HttpOnly; SameSite=Strict"
        if session == nil { text += "; Max-Age=0" } else if isGuarded { text += "; Max-Age=\(Self.seconds)" }
        return isSecure ? text + "; Secure" : text
    }

    static func random() -> String {
        text(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }
}

/// Signed-out sessions, stored as cookie digests until the cookies expire. Other nodes do not know them, and a restart
/// clears them.
final class SignedOut: Sendable {
    private let ends = Mutex<[SHA256Digest: Int64]>([:])
    /// One sign-out per second for twelve hours.
    private static let maxCount = 43_200

    func add(_ cookie: String, until end: Int64, now: Int64) {
        ends.withLock { ends in
            if ends.count >= Self.maxCount { ends = ends.filter { $0.value > now } }
            if ends.count >= Self.maxCount, let soonest = ends.min(by: { $0.value < $1.value }) {
                ends[soonest.key] = nil
            }
            ends[Self.digest(cookie)] = end
        }
    }

    func has(_ cookie: String) -> Bool { ends.withLock { !$0.isEmpty && $0[Self.digest(cookie)] != nil } }

    private static func digest(_ cookie: String) -> SHA256Digest { SHA256.hash(data: Data(cookie.utf8)) }
}
