import HTTPTypes
import Hummingbird
import Logging
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Turns errors into the documented answers, and records the reasons in the request log.
struct RefusalMiddleware: RouterMiddleware {
    typealias Context = APIContext

    let shop: Shop
    let environment: StoreEnvironment
    let endpoints: [Endpoint]
    let meter: RequestMeter

    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        let begun = ContinuousClock.now
        let sent = shop.settings.requestLogBodies ? await RequestLogBody.take(from: &request) : nil
        var response: Response
        var isRefused = false
        do {
            if request.isDelivery { throw APIError.bare(DeliveryRefusal.status, DeliveryRefusal.explanation) }
            if request.head.path.map({ $0.utf8.count > Query.maxURI }) == true {
                throw APIError.uriTooLong("The URL is longer than \(Query.maxURI) bytes.")
            }
            response = try await next(request, context)
        } catch {
            isRefused = true
            response = await refuse(error, request, context)
        }
        if isRefused || shop.settings.requestLogAll || context.annotations.notes.isWorthLogging {
            let answered = shop.settings.requestLogBodies ? await RequestLogBody.take(from: &response) : nil
            let milliseconds = Int((ContinuousClock.now - begun) / .milliseconds(1))
            await note(request, context, response.status.code, milliseconds, sent, answered)
        }
        response.headers[.requestID] = context.requestID
        meter.count(environment, context.endpointPath ?? "none", response.status.code)
        return response
    }

    private func refuse(_ error: any Error, _ request: Request, _ context: APIContext) async -> Response {
        switch error {
        case let refusal as Unauthenticated:
            context.annotations.change { $0.explanation = refusal.explanation }
            return Response(
                status: .unauthorized,
                headers: [.contentType: "text/plain"],
                body: .init(byteBuffer: .init(string: "Unauthenticated\n\nRequest ID: \(context.requestID)\n"))
            )
        case let error as APIError:
            return await answer(error, request, context)
        case let busy as ShopBusy:
            return await answer(.generalInternalRetryable.retrying(after: 1).because(busy.reason), request, context)
        case let damaged as DamagedAccount:
            return await answer(.generalInternal.because("\(damaged.description)."), request, context)
        case let damaged as DamagedRow:
            context.logger.error(
                "a request read damaged data",
                metadata: ["cause": "\(damaged.logText)", "request": "\(context.requestID)"]
            )
            return await answer(.generalInternal.because("\(damaged.description)."), request, context)
        case let error where error.isTransient:
            context.logger.warning(
                "the store did not answer",
                metadata: ["cause": "\(error.logText)", "request": "\(context.requestID)"]
            )
            let reason = "\(error.passingWords). See Till's log for the cause."
            return await answer(.generalInternalRetryable.retrying(after: 1).because(reason), request, context)
        case let error as HTTPError where error.status == .notFound:
            return await answer(unrouted(request), request, context)
        case is PathLacksID:
            return await answer(unrouted(request, otherwise: "The path lacks its id."), request, context)
        case let error as any HTTPResponseError:
            return await answer(.malformed("The request is not valid HTTP (\(error.status.code))."), request, context)
        default:
            context.logger.error(
                "a request failed",
                metadata: ["cause": "\(error.logText)", "request": "\(context.requestID)"]
            )
            return await answer(.generalInternal.because("Till failed. See its log for the cause."), request, context)
        }
    }

    private func answer(_ error: APIError, _ request: Request, _ context: APIContext) async -> Response {
        context.annotations.change {
            $0.code = error.code
            $0.explanation = error.explanation
        }
        guard let code = error.code else {
            let allow: HTTPFields =
                error.status == .methodNotAllowed ? [.allow: methods(of: request).joined(separator: ", ")] : [:]
            return Response(status: error.status, headers: allow)
        }
        var json = JSONWriter(capacity: 128)
        json.put("errorCode", code)
        json.put("errorMessage", error.message)
        var response = Response.json(json.finish(), status: error.status)
        if let wait = error.retryAfter { response.headers[.retryAfter] = String(wait) }
        return response
    }

    private func note(
        _ request: Request,
        _ context: APIContext,
        _ status: Int,
        _ milliseconds: Int,
        _ sent: String?,
        _ answered: String?
    ) async {
        let claimed = context.claimed.get()
        let notes = context.annotations.notes
        var entry = RequestLogEntry(
            id: context.requestID,
            at: shop.wallClock(),
            environment: environment,
            method: request.method.rawValue.cut(toBytes: 16),
            path: request.uri.path.cut(toBytes: 256),
            status: status,
            code: notes.code,
            app: (claimed.app ?? notes.app)?.cut(toBytes: 256),
            keyID: claimed.keyID?.cut(toBytes: 64),
            explanation: notes.words(or: "Answered.").cut(toBytes: 2_048)
        )
        entry.milliseconds = milliseconds
        entry.requestBody = sent
        entry.responseBody = answered
        await shop.requestLog.note(entry)
    }

    /// The error for a request without a route: 405 if the path exists with another method, otherwise 404. Neither has
    /// an error object.
    ///
    /// - Parameter explanation: the reason for the 404, if the caller knows it.
    private func unrouted(_ request: Request, otherwise explanation: String? = nil) -> APIError {
        let methods = methods(of: request)
        if !methods.isEmpty, !methods.contains(request.method.rawValue) {
            return .wrongMethod("\(request.method.rawValue) is not allowed: use \(methods.joined(separator: ", ")).")
        }
        if let explanation { return .noSuchRoute(explanation) }
        let path = request.uri.path
        if let planned = PlannedAPI.of(path) {
            return .noSuchRoute(
                "\(path.cut(toBytes: 256)) belongs to \(planned.name), which Till does not serve yet; "
                    + "docs/api/index.md lists the planned routes."
            )
        }
        let folded = endpoints.contains { Self.matches($0.path.lowercased(), request.uri.path.lowercased()) }
        return .noSuchRoute(
            folded ? "Paths are case-sensitive: /inApps/…" : "No such route. docs/api/index.md lists all routes."
        )
    }

    /// The methods that a path allows. As in the router, a fixed component takes precedence over a parameter, so
    /// `extend/mass` does not match `extend/{id}`.
    private func methods(of request: Request) -> [String] {
        let path = request.uri.path
        let serving = endpoints.filter { Self.matches($0.path, path) || $0.parameters(of: path) != nil }
        let words = serving.map(\.wordCount).max()
        return Set(serving.filter { $0.wordCount == words }.map(\.method.rawValue)).sorted()
    }

    private static func matches(_ pattern: String, _ path: String) -> Bool {
        let wanted = pattern.split(separator: "/")
        let found = path.split(separator: "/")
        return wanted.count == found.count && zip(wanted, found).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}

extension HTTPField.Name {
    /// The header with the request id, which `till explain` accepts.
    static let requestID: HTTPField.Name = {
        guard let name = HTTPField.Name("X-Request-ID") else { preconditionFailure("X-Request-ID is a field name") }
        return name
    }()
}
