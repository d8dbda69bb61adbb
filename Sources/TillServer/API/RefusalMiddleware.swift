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
    let listener: ListenerMeter
    let accessLog: AccessLog
    /// Limits the log lines about refused tokens. Answers of Apple's API are not delayed.
    private let refusedTokens = FailedTokenLimiter()

    init(
        shop: Shop,
        environment: StoreEnvironment,
        endpoints: [Endpoint],
        meter: RequestMeter,
        listener: ListenerMeter
    ) {
        (self.shop, self.environment, self.endpoints) = (shop, environment, endpoints)
        (self.meter, self.listener) = (meter, listener)
        accessLog = AccessLog(shop)
    }

    func handle(
        _ request: Request,
        context: APIContext,
        next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        let record = RequestRecord(request)
        let context = record.logging(context)
        let sent = shop.settings.requestLogBodies ? await RequestLogBody.take(from: &request) : nil
        var response: Response
        var isRefused = false
        do {
            if request.isDelivery { throw APIError.bare(DeliveryRefusal.status, DeliveryRefusal.explanation) }
            if request.head.path.map({ $0.utf8.count > Query.maxURI }) == true {
                throw APIError.uriTooLong("The URL is longer than \(Query.maxURI) bytes.")
            }
            response = try await record.run(request, context, next)
        } catch {
            isRefused = true
            response = refuse(error, request, context)
        }
        if isRefused || shop.settings.requestLogAll || context.annotations.notes.isWorthLogging {
            let answered = shop.settings.requestLogBodies ? await RequestLogBody.take(from: &response) : nil
            let milliseconds = Int((ContinuousClock.now - record.begun) / .milliseconds(1))
            await note(request, context, response.status.code, milliseconds, sent, answered)
        }
        response.headers[.requestID] = context.requestID
        record.end(
            request,
            response.status.code,
            context,
            listener,
            accessLog,
            environment: environment.wireName,
            app: context.annotations.notes.claimed.app ?? context.annotations.notes.app
        )
        return response
    }

    private func refuse(_ error: any Error, _ request: Request, _ context: APIContext) -> Response {
        switch error {
        case let refusal as Unauthenticated:
            meter.count(refusal.reason)
            context.annotations.change { $0.explanation = refusal.explanation }
            log(refusal, context)
            let text = "Unauthenticated\n\nRequest ID: \(context.requestID)\n"
            return .text(text, status: .unauthorized, type: "text/plain")
        case let error as APIError:
            return answer(error, request, context)
        case let error as HTTPError where error.status == .notFound:
            return answer(unrouted(request), request, context)
        case is PathLacksID:
            return answer(unrouted(request, otherwise: "The path lacks its id."), request, context)
        case let error as any HTTPResponseError:
            return answer(.malformed("The request is not valid HTTP (\(error.status.code))."), request, context)
        default:
            let failure = ServerFailure(error, logging: "a request failed", context)
            let answer: APIError = failure.isTemporary ? .generalInternalRetryable.retrying(after: 1) : .generalInternal
            return self.answer(answer.because(failure.explanation), request, context)
        }
    }

    private func log(_ refusal: Unauthenticated, _ context: APIContext) {
        let claimed = context.annotations.notes.claimed
        var metadata: Logger.Metadata = [
            "request": "\(context.requestID)", "environment": "\(environment.wireName)",
            "code": "\(refusal.reason.rawValue)", "reason": "\(refusal.explanation.cut(toBytes: 2_048))",
        ]
        metadata["app"] = claimed.app.map { "\($0.cut(toBytes: 256))" }
        metadata["key"] = claimed.keyID.map { "\($0.cut(toBytes: 64))" }
        refusedTokens.log(
            "refused a token of the App Store Server API",
            from: context.channel.remoteAddress,
            context.logger,
            metadata
        )
    }

    private func answer(_ error: APIError, _ request: Request, _ context: APIContext) -> Response {
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
        let notes = context.annotations.notes
        var entry = RequestLogEntry(
            id: context.requestID,
            at: shop.wallClock(),
            environment: environment,
            method: request.method.rawValue.cut(toBytes: 16),
            path: request.uri.path.cut(toBytes: 256),
            status: status,
            code: notes.code,
            app: (notes.claimed.app ?? notes.app)?.cut(toBytes: 256),
            keyID: notes.claimed.keyID?.cut(toBytes: 64),
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

/// An error of the server itself: an explanation for the request log, while the server's log has the cause.
struct ServerFailure {
    /// Whether the client should repeat the request.
    let isTemporary: Bool
    let explanation: String

    /// - Parameter message: the log message for an unexpected error.
    init(_ error: any Error, logging message: Logger.Message, _ context: APIContext) {
        let cause: Logger.Metadata = ["cause": "\(error.logText)", "request": "\(context.requestID)"]
        switch error {
        case let busy as ShopBusy: (isTemporary, explanation) = (true, busy.reason)
        case let damaged as DamagedAccount: (isTemporary, explanation) = (false, "\(damaged.description).")
        case let damaged as DamagedRow:
            context.logger.error("a request read damaged data", metadata: cause)
            (isTemporary, explanation) = (false, "\(damaged.description).")
        case _ where error.isTransient:
            context.logger.warning("the store did not answer", metadata: cause)
            (isTemporary, explanation) = (true, "\(error.passingWords). See Till's log for the cause.")
        default:
            context.logger.error(message, metadata: cause)
            (isTemporary, explanation) = (false, "Till failed. See its log for the cause.")
        }
    }
}
