import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillStorage

/// Who may use control. On loopback nobody needs a token; but a page in a browser must not reach it by a name that
/// leads to loopback, nor post to it across sites.
package struct ControlGuard: Sendable {
    /// What the administrator puts behind `Bearer`; nil on loopback.
    package let token: String?
    /// Names under which control may be called, at any port unless they have one.
    let hosts: Set<String>

    /// Who guesses tokens waits, here and at the sign-in of the pages.
    package let wrongTokens: WrongTokens

    /// Under which there are pages for people.
    package static let pages = "/console/"
    /// What a browser makes of a form.
    private static let forms: Set = ["application/x-www-form-urlencoded", "multipart/form-data"]

    /// - Parameters:
    ///   - token: the administrator's, beside those that the shop has by name; nil lets everybody in who reaches the
    ///     port, which must then be loopback.
    ///   - hosts: names beside those of loopback.
    ///   - wrongTokens: slows down who guesses; tests give one with a clock of their own.
    package init(token: String?, hosts: Set<String>, wrongTokens: WrongTokens = WrongTokens()) {
        self.token = token
        self.wrongTokens = wrongTokens
        // A Host field has IPv6 addresses in brackets.
        let names = hosts.map { IPAddress($0) != nil && $0.contains(":") ? "[\($0)]" : $0 }
        self.hosts = Set(names.map { $0.lowercased() }).union(["localhost", "127.0.0.1", "[::1]"])
    }

    /// - Parameter isNamed: whether a token is one of those that have a name; asked of no other than the
    ///   administrator's.
    func check(_ request: Request, isNamed: (String) async throws -> Bool) async throws {
        let isPage = "\(request.uri.path)/".hasPrefix(Self.pages)
        // Probes come by whatever name and carry no token; they learn that Till lives, and nothing else.
        if request.method == .get, ["/healthz", "/readyz"].contains(request.uri.path) { return }
        guard let authority = request.head.authority.flatMap(RequestAuthority.init),
            hosts.contains(authority.host) || hosts.contains(authority.description)
        else {
            throw ControlError(
                status: .forbidden,
                code: "unknown_host",
                message:
                    "Control is called by \(hosts.sorted().joined(separator: ", ")); add a name with --control-host."
            )
        }
        guard Self.comesFromHere(request, authority), Self.isOfThisSite(request, isPage: isPage) else {
            throw ControlError(
                status: .forbidden,
                code: "unknown_origin",
                message: "Control does not take requests from pages of another origin."
            )
        }
        // What a page may send elsewhere without being asked has no type, or that of a form.
        if [.post, .put, .patch].contains(request.method), request.hasBody || request.headers[.origin] != nil {
            let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
            let isForm = isPage && type.map(Self.forms.contains) == true
            guard isForm || type == "application/json" || type == Transfer.mediaType else {
                throw ControlError(
                    status: .unsupportedMediaType,
                    code: "not_json",
                    message: "Control takes bodies of Content-Type application/json only."
                )
            }
        }
        // Pages have sessions, and every form a proof that it is one of theirs. The plain address leads there.
        let isWayToPages = request.method == .get && request.uri.path == "/"
        guard let token, !isPage, !isWayToPages else { return }
        let given = request.headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        if let given {
            if Self.isSame(given, token) { return }
            if try await isNamed(given) { return }
        }
        // The same for a token that was revoked, or never made.
        throw ControlError(
            status: .unauthorized,
            code: "unauthorized",
            message: "Control listens beyond loopback and asks for a token: Authorization: Bearer …"
        )
    }

    /// A browser says from which page something was sent; it must be one from the very address that it is sent to, port
    /// included. Programs say nothing.
    package static func comesFromHere(_ request: Request) -> Bool {
        comesFromHere(request, request.head.authority.flatMap(RequestAuthority.init))
    }

    private static func comesFromHere(_ request: Request, _ authority: RequestAuthority?) -> Bool {
        guard let origin = request.headers[.origin]?.lowercased() else { return true }
        guard let authority = authority?.description else { return false }
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
            return origin.dropFirst(scheme.count) == authority || origin + port == scheme + authority
        }
        return false
    }

    /// A browser says, too, whose page wants to know something. Pages of others may lead to a page here, and nothing
    /// else: they neither listen nor count what is here.
    private static func isOfThisSite(_ request: Request, isPage: Bool) -> Bool {
        guard ["cross-site", "same-site"].contains(request.headers[.secFetchSite]) else { return true }
        return request.method == .get && request.headers[.secFetchMode] == "navigate"
            && (isPage || request.uri.path == "/")
    }

    /// Takes as long for a wrong token as for a right one.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode") ?? .origin
}

extension Request {
    fileprivate var hasBody: Bool {
        if let length = headers[.contentLength] { return length != "0" }
        return headers[.transferEncoding] != nil
    }
}

/// Checks every control request, and turns whatever was thrown into an answer that says what to do.
struct ControlMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let guardian: ControlGuard
    let shop: Shop
    let meter: RequestMeter

    func handle(
        _ request: Request,
        context: ControlContext,
        next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            if request.isDelivery { throw Self.refusal(of: request, shop) }
            try await guardian.check(request) { try await shop.isControlToken($0) }
            response = try await next(request, context)
        } catch {
            let error = ControlError(of: error, logger: context.logger)
            if error.status == .unauthorized, request.headers[.authorization] != nil {
                try await guardian.wrongTokens.refuse(
                    "a token of control was refused",
                    from: context.address,
                    shop.logger
                )
            }
            response = .json(error.body, status: error.status)
            if error.status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        }
        meter.count(nil, context.endpointPath ?? "none", response.status.code)
        return response
    }

    /// Whatever else may be wrong with it: a delivery is never a call of control.
    private static func refusal(of request: Request, _ shop: Shop) -> ControlError {
        shop.logger.warning(
            "control refused a notification that was delivered to it",
            metadata: ["method": "\(request.method.rawValue)", "path": "\(request.uri.path.cut(toBytes: 256))"]
        )
        return ControlError(
            status: DeliveryRefusal.status,
            code: "delivery",
            message: DeliveryRefusal.explanation
        )
    }
}
