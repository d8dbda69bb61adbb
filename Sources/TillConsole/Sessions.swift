import Crypto
import Foundation
import Hummingbird
import TillCore
import TillServer
import TillShop
import TillSigning

/// Whose pages these are: a cookie, and a proof in each form that the form is one of ours.
struct Session: Equatable, Sendable {
    /// The cookie's value.
    let cookie: String
    /// Whether the browser has not heard of it yet.
    var isNew = false
}

/// Who may see the pages: everybody who reaches the port where control asks nobody for a token, elsewhere who signed in
/// with one. A cookie carries until when it counts and by which token, under a code that every server of the store can
/// check, so that it ends with the token. All that is held in memory is who signed out here.
struct Sessions: Sendable {
    private let shop: Shop
    /// The administrator's token; nil where nobody needs one.
    private let token: String?
    private let key: SymmetricKey
    private let formKey: SymmetricKey
    private let signedOut = SignedOut()

    static let cookieName = "till-console"
    /// How long a sign-in counts.
    static let seconds: Int64 = 12 * 3_600

    init(_ shop: Shop, token: String?) {
        self.shop = shop
        self.token = token
        key = SymmetricKey(data: shop.cursors.key(for: "console session"))
        formKey = SymmetricKey(data: shop.cursors.key(for: "console form"))
    }

    /// Whether anybody must sign in.
    var isGuarded: Bool { token != nil }

    /// The session of a request; nil when its delivery worker must sign in.
    func session(of request: Request) async throws -> Session? {
        guard isGuarded else { return visitor(of: request) }
        guard let cookie = Self.cookie(of: request), try await counts(cookie) else { return nil }
        return Session(cookie: cookie)
    }

    /// A session that proves nothing but that forms come back from where they were sent to.
    func visitor(of request: Request) -> Session {
        if let cookie = Self.cookie(of: request), (32...512).contains(cookie.utf8.count) {
            return Session(cookie: cookie)
        }
        return Session(cookie: Self.random(), isNew: true)
    }

    /// A session for who has a token; nil for who has none.
    func begin(with given: String) async throws -> Session? {
        guard let token else { return nil }
        var name: String?
        if ControlGuard.isSame(given, token) {
            name = ""
        } else if try await shop.isControlToken(given) {
            let digest = Base64.encode(Array(SHA256.hash(data: Data(given.utf8))))
            name = try await shop.controlTokens().first { ControlGuard.isSame($0.digest, digest) }?.name
        }
        guard let name else { return nil }
        let end = shop.wallClock().milliseconds + Self.seconds * 1_000
        let body = "\(end).\(Self.random()).\(Self.text(Array(name.utf8)))"
        guard let code = try await code(of: body, name) else { return nil }
        return Session(cookie: "\(body).\(code)", isNew: true)
    }

    /// Whether a cookie is one that `begin` made, is not over, and its token was not revoked.
    func counts(_ cookie: String) async throws -> Bool {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard
            parts.count == 4, cookie.utf8.count <= 512, let end = Int64(parts[0]),
            end > shop.wallClock().milliseconds, !signedOut.has(cookie), let name = Base64URL.decode(parts[2]),
            let code = try await code(of: parts[0..<3].joined(separator: "."), String(decoding: name, as: UTF8.self))
        else { return false }
        return ControlGuard.isSame(code, parts[3])
    }

    /// The session counts here no more, in whichever browser its cookie lies.
    func end(_ session: Session) {
        guard isGuarded, let end = session.cookie.split(separator: ".").first.flatMap({ Int64($0) }) else { return }
        signedOut.add(session.cookie, until: end, now: shop.wallClock().milliseconds)
    }

    /// The code over a cookie of a token; nil when there is no such token any more.
    private func code(of body: String, _ name: String) async throws -> String? {
        let secret = name.isEmpty ? token : try await shop.controlTokens().first { $0.name == name }?.digest
        guard let secret else { return nil }
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data(SHA256.hash(data: Data(secret.utf8))))
        hash.update(data: Data(body.utf8))
        return Self.text(Array(hash.finalize()))
    }

    // MARK: Forms

    /// What every form of a session carries.
    func proof(for session: Session) -> String {
        Self.text(Array(HMAC<SHA256>.authenticationCode(for: Data(session.cookie.utf8), using: formKey)))
    }

    /// Whether a form is one that was sent to this session.
    func isProof(_ text: String?, for session: Session) -> Bool {
        guard let text, !session.isNew else { return false }
        return ControlGuard.isSame(text, proof(for: session))
    }

    // MARK: Cookies

    private static func cookie(of request: Request) -> String? { request.cookies[cookieName]?.value }

    /// The header that sets a session's cookie, or with nil forgets it.
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
