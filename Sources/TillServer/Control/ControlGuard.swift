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
    let token: String?
    /// Names, without port, under which control may be called.
    let hosts: Set<String>

    /// - Parameters:
    ///   - token: the administrator's, beside those that the shop has by name; nil lets everybody in who reaches the
    ///     port, which must then be loopback.
    ///   - hosts: names beside those of loopback.
    package init(token: String?, hosts: Set<String>) {
        self.token = token
        self.hosts = Set(hosts.map { $0.lowercased() }).union(["localhost", "127.0.0.1", "[::1]", "::1"])
    }

    /// - Parameter isNamed: whether a token is one of those that have a name; asked of no other than the
    ///   administrator's.
    func check(_ request: Request, isNamed: (String) async throws -> Bool) async throws {
        // Probes come by whatever name and carry no token; they learn that Till lives, and nothing else.
        if request.method == .get, ["/healthz", "/readyz"].contains(request.uri.path) { return }
        guard let authority = request.head.authority, hosts.contains(Self.name(in: authority)) else {
            throw ControlError(
                status: .forbidden,
                code: "unknown_host",
                message:
                    "Control is called by \(hosts.sorted().joined(separator: ", ")); add a name with --control-host."
            )
        }
        if let origin = request.headers[.origin] {
            let name = origin.split(separator: "/").last.map { Self.name(in: String($0)) } ?? ""
            guard hosts.contains(name) else {
                throw ControlError(
                    status: .forbidden,
                    code: "unknown_origin",
                    message: "Control does not take requests from pages of another origin."
                )
            }
        }
        if [.post, .put, .patch].contains(request.method), request.hasBody {
            let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
            guard type == "application/json" || type == Transfer.mediaType else {
                throw ControlError(
                    status: .unsupportedMediaType,
                    code: "not_json",
                    message: "Control takes bodies of Content-Type application/json only."
                )
            }
        }
        guard let token else { return }
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

    private static func name(in authority: String) -> String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let rest = authority[authority.index(after: end)...]
            return rest.isEmpty || rest.hasPrefix(":") ? String(authority[...end]) : authority
        }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    /// Takes as long for a wrong token as for a right one.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Request {
    fileprivate var hasBody: Bool {
        if let length = headers[.contentLength] { return length != "0" }
        return headers[.transferEncoding] != nil
    }
}

/// Checks every control request, and turns whatever was thrown into an answer that says what to do.
struct ControlMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    let guardian: ControlGuard
    let shop: Shop
    let meter: RequestMeter

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            try await guardian.check(request) { try await shop.isControlToken($0) }
            response = try await next(request, context)
        } catch {
            let error = Self.controlError(error, context)
            response = .json(error.body, status: error.status)
            if error.status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        }
        meter.count(nil, context.endpointPath ?? "none", response.status.code)
        return response
    }

    private static func controlError(_ error: any Error, _ context: BasicRequestContext) -> ControlError {
        switch error {
        case let error as ControlError:
            return error
        case let refusal as Refusal:
            return ControlError(status: refusal.status, code: refusal.code, message: refusal.explanation)
        case let refused as CatalogRefused:
            return ControlError(
                status: .badRequest,
                code: "bad_document",
                message: refused.description,
                faults: refused.faults
            )
        case let refused as TokenRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as ClockRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as StateRefused:
            return ControlError(status: refused.status, code: refused.code, message: refused.message)
        case let refused as TriggerRefused:
            return ControlError(
                status: .conflict,
                code: "not_triggered",
                message: "\(refused.reason.capitalizedFirst)."
            )
        case let refused as OfferProofRefused:
            return ControlError(status: .unprocessableContent, code: "offer_signature", message: refused.explanation)
        case let busy as ShopBusy:
            return ControlError(status: .serviceUnavailable, code: "busy", message: "\(busy.reason). Try again.")
        case let error where error.isPassingTrouble:
            context.logger.warning("the store did not answer", metadata: ["cause": "\(error)"])
            return ControlError(
                status: .serviceUnavailable,
                code: "busy",
                message: "The store did not answer. Try again."
            )
        case let error as APIError:
            return ControlError(status: .badRequest, code: "bad_request", message: error.explanation)
        case let error as HTTPError where error.status == .notFound:
            return .notFound("no_such_route", "No such route. The verbs are described at /openapi.json.")
        default:
            context.logger.error("a control request failed", metadata: ["cause": "\(error)"])
            return ControlError(
                status: .internalServerError,
                code: "internal",
                message: "Till failed; its log has the cause."
            )
        }
    }
}

extension Refusal {
    /// A word for programs: the name of the case.
    var code: String {
        let name = String(describing: self).prefix { $0 != "(" }
        return name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// 404 for what is not there, 400 for values that can never be, 409 for what is not possible now.
    var status: HTTPResponse.Status {
        switch self {
        case .unknownAccount, .unknownTransaction, .unknownProduct, .unknownOrder, .unknownOffer, .unknownSubscription,
            .unknownHeldPurchase:
            .notFound
        case .badQuantity, .badPrice, .badAppAccountToken, .badPercentage: .badRequest
        default: .conflict
        }
    }
}

extension ClockRefused {
    fileprivate var status: HTTPResponse.Status {
        if code.hasPrefix("unknown_") { return .notFound }
        return code.hasPrefix("bad_") ? .badRequest : .conflict
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
