import Crypto
import Foundation
import Hummingbird
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
        guard let cookie = Self.cookie(of: request), try await isValid(cookie) else { return nil }
        return Session(cookie: cookie)
    }

    /// A session without access rights. It only protects forms against CSRF.
    func visitor(of request: Request) -> Session {
        if let cookie = Self.cookie(of: request), (32...512).contains(cookie.utf8.count) {
            return Session(cookie: cookie)
        }
        return Session(cookie: Self.random(), isNew: true)
    }

    /// A session for a valid token; nil for any other text.
    func begin(with given: String) async throws -> Session? {
        guard let token else { return nil }
        var name: String?
        if ConstantTime.areEqual(given.utf8, token.utf8) {
            name = ""
        } else if try await shop.isControlToken(given) {
            let digest = Base64.encode(Array(SHA256.hash(data: Data(given.utf8))))
            name = try await shop.controlTokens().first { ConstantTime.areEqual($0.digest.utf8, digest.utf8) }?.name
        }
        guard let name else { return nil }
        let end = shop.wallClock().milliseconds + Self.seconds * 1_000
        let body = "\(end).\(Self.random()).\(Self.text(Array(name.utf8)))"
        guard let code = try await code(of: body, name) else { return nil }
        return Session(cookie: "\(body).\(code)", isNew: true)
    }

    /// Whether a cookie is valid: `begin` issued it, it has not expired, nobody signed out with it on this node, and
    /// its token is not revoked.
    func isValid(_ cookie: String) async throws -> Bool {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard
            parts.count == 4, cookie.utf8.count <= 512, let end = Int64(parts[0]),
            end > shop.wallClock().milliseconds, !signedOut.has(cookie), let name = Base64URL.decode(parts[2]),
            let code = try await code(of: parts[0..<3].joined(separator: "."), String(decoding: name, as: UTF8.self))
        else { return false }
        return ConstantTime.areEqual(code.utf8, parts[3].utf8)
    }

    /// Ends the session on this node for every browser that has its cookie.
    func end(_ session: Session) {
        guard isGuarded, let end = session.cookie.split(separator: ".").first.flatMap({ Int64($0) }) else { return }
        signedOut.add(session.cookie, until: end, now: shop.wallClock().milliseconds)
    }

    /// The HMAC of a cookie for a token; nil if the token no longer exists.
    private func code(of body: String, _ name: String) async throws -> String? {
        let secret = name.isEmpty ? token : try await shop.controlTokens().first { $0.name == name }?.digest
        guard let secret else { return nil }
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data(SHA256.hash(data: Data(secret.utf8))))
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
