import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillSigning
import TillStorage
import Tracing

/// Checks the access to the control API. On loopback a program needs no token. Web pages must not get access: neither
/// through a DNS name that resolves to loopback, nor with cross-site requests.
package struct ControlGuard: Sendable {
    /// The administrator's bearer token; nil if there is none.
    package let token: String?
    /// Whether every request needs a token. On loopback none is needed, but a given token is checked.
    package let isRequired: Bool
    /// The accepted host names. A name without a port is accepted with any port.
    let hosts: Set<String>

    /// Delays the answers to wrong tokens, here and at the console's sign-in.
    package let failedTokens: FailedTokenLimiter

    /// The path prefix of the console.
    package static let pages = "/console/"
    /// The content types of HTML forms, which browsers send across sites without a preflight.
    private static let forms: Set = ["application/x-www-form-urlencoded", "multipart/form-data"]

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - token: the administrator's token, accepted in addition to the named tokens.
    ///   - isRequired: whether every request needs a token, by default if there is an administrator's token. Otherwise
    ///     the port must be on loopback.
    ///   - hosts: host names that are accepted in addition to the names of loopback.
    ///   - failedTokens: slows down the guessing of tokens; tests pass a limiter with their own clock.
    package init(
        token: String?,
        isRequired: Bool? = nil,
        hosts: Set<String>,
        failedTokens: FailedTokenLimiter = FailedTokenLimiter()
    ) {
        self.token = token
        self.isRequired = isRequired ?? (token != nil)
        self.failedTokens = failedTokens
        // In a Host field, an IPv6 address is in brackets.
        let names = hosts.map { IPAddress($0) != nil && $0.contains(":") ? "[\($0)]" : $0 }
        self.hosts = Set(names.map { $0.lowercased() }).union(["localhost", "127.0.0.1", "[::1]"])
    }

    /// What shows who sends a request.
    enum Credential {
        case known(Principal)
        /// The holder of a token that is valid if a named token has this text.
        case token(String)
    }

    /// Checks a request.
    ///
    /// - Returns: the credential; nil for a path that needs no token.
    func check(_ request: Request) throws -> Credential? {
        let isPage = "\(request.uri.path)/".hasPrefix(Self.pages)
        // Load balancers probe with any host name and without a token. The answer shows only that Till runs.
        if request.method == .get, ["/healthz", "/readyz"].contains(request.uri.path) { return nil }
        guard let authority = request.head.authority.flatMap(RequestAuthority.init),
            hosts.contains(authority.host) || hosts.contains(authority.description)
        else {
            throw ControlError(
                status: .forbidden,
                code: "unknown_host",
                message:
                    "Use the host name \(hosts.sorted().joined(separator: ", ")), or add one with --control-host."
            )
        }
        guard Self.comesFromHere(request, authority), Self.isOfThisSite(request, isPage: isPage) else {
            throw ControlError(
                status: .forbidden,
                code: "unknown_origin",
                message: "The control API refuses requests from web pages of another origin."
            )
        }
        // A browser sends a cross-site request without a preflight only without a content type, or with that of a form.
        if [.post, .put, .patch].contains(request.method), request.hasBody || request.headers[.origin] != nil {
            let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
            let isForm = isPage && type.map(Self.forms.contains) == true
            guard isForm || type == "application/json" || type == ControlRoute.streamType else {
                throw ControlError(
                    status: .unsupportedMediaType,
                    code: "not_json",
                    message: "The control API accepts only bodies with Content-Type application/json."
                )
            }
        }
        // The console needs no bearer token: it has sessions and a CSRF token in every form. / redirects to it.
        let isWayToPages = request.method == .get && request.uri.path == "/"
        guard !isPage, !isWayToPages else { return nil }
        let given = request.headers[.authorization].flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard let given else {
            guard !isRequired else { throw Self.unauthorized }
            return .known(.loopback)
        }
        if let token, ConstantTime.areEqual(given.utf8, token.utf8) { return .known(.administrator) }
        // Where no token is required, a given token must still be valid, and its scope holds.
        return .token(given)
    }

    /// The answer does not show whether the token is unknown or was revoked.
    fileprivate static var unauthorized: ControlError {
        ControlError(
            status: .unauthorized,
            code: "unauthorized",
            message: "The control API requires a valid token: Authorization: Bearer … On loopback, by default, it also "
                + "accepts requests without a token."
        )
    }

    /// Whether the `Origin` field, if there is one, names the requested host and port. Browsers send the origin of the
    /// page; other programs send no `Origin`.
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

    /// Whether the `Sec-Fetch-Site` field, which browsers send, allows the request. Pages of other sites may link to
    /// the console, but must not read or probe anything.
    private static func isOfThisSite(_ request: Request, isPage: Bool) -> Bool {
        guard ["cross-site", "same-site"].contains(request.headers[.secFetchSite]) else { return true }
        return request.method == .get && request.headers[.secFetchMode] == "navigate"
            && (isPage || request.uri.path == "/")
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = field("Sec-Fetch-Site")
    fileprivate static let secFetchMode = field("Sec-Fetch-Mode")
}

extension Request {
    fileprivate var hasBody: Bool {
        if let length = headers[.contentLength] { return length != "0" }
        return headers[.transferEncoding] != nil
    }
}

/// Checks every control request, and turns errors into answers that tell the client what to do.
struct ControlMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let guardian: ControlGuard
    let shop: Shop
    let meter: RequestMeter
    let listener: ListenerMeter
    let accessLog: AccessLog

    func handle(
        _ request: Request,
        context: ControlContext,
        next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let record = RequestRecord(request)
        var context = record.logging(context)
        var response: Response
        do {
            if request.isDelivery { throw Self.refusal(of: request, shop) }
            switch try guardian.check(request) {
            case .known(let caller): context.caller = caller.at(context.address)
            case .token(let text):
                guard let token = try await shop.tokens.token(text) else { throw ControlGuard.unauthorized }
                context.caller = Principal(token).at(context.address)
            case nil: break
            }
            try Self.checkSegments(of: request.uri.path)
            response = try await record.run(request, context, next)
        } catch {
            let error = ControlError(of: error, logger: context.logger)
            let hasToken = request.headers[.authorization] != nil
            if let refusal = TokenRefusal(error, hasToken: hasToken) { meter.count(refusal) }
            if error.status == .unauthorized, hasToken {
                try await guardian.failedTokens.refuse(
                    "refused a control API token",
                    from: context.address,
                    context.logger,
                    ["request": "\(context.requestID)"]
                )
            }
            response = .json(error.body, status: error.status)
            if error.status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        }
        response.headers[.requestID] = context.requestID
        record.end(
            request,
            response.status.code,
            context,
            listener,
            accessLog,
            environment: context.parameters.get("environment").flatMap { name in
                StoreEnvironment.allCases.first { $0.rawValue == name }?.wireName
            },
            app: context.parameters.get("bundleId"),
            caller: context.caller?.name
        )
        return response
    }

    /// Refuses empty segments, which the router ignores: without its identifier, a request would reach the operation on
    /// all objects.
    private static func checkSegments(of path: String) throws {
        let slash = UInt8(ascii: "/")
        let hasEmptySegment = zip(path.utf8, path.utf8.dropFirst()).contains { $0 == slash && $1 == slash }
        guard path.utf8.last == slash || hasEmptySegment, path != "/", !path.hasPrefix(ControlGuard.pages) else {
            return
        }
        throw ControlError.notFound("no_such_route", "No such route: the path has an empty segment. See /openapi.json.")
    }

    /// The answer to a notification that was delivered to this port by mistake. This is checked before the access,
    /// because a delivery is never a control request.
    private static func refusal(of request: Request, _ shop: Shop) -> ControlError {
        shop.logger.warning(
            "the control API refused a notification delivered to it",
            metadata: ["method": "\(request.method.rawValue)", "path": "\(request.uri.path.cut(toBytes: 256))"]
        )
        return ControlError(
            status: DeliveryRefusal.status,
            code: "delivery",
            message: DeliveryRefusal.explanation
        )
    }
}
