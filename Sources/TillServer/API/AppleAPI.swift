import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillStorage

/// Apple's routes in one environment. Each group of routes has its own file.
package struct AppleAPI: Sendable {
    let shop: Shop
    let environment: StoreEnvironment
    let authentication: Authentication
    let meter: RequestMeter

    /// The routes of an environment over a shop.
    package init(shop: Shop, environment: StoreEnvironment, meter: RequestMeter) {
        self.shop = shop
        self.environment = environment
        self.meter = meter
        authentication = Authentication(shop: shop, environment: environment)
    }

    /// Every served route, by group.
    var endpoints: [Endpoint] {
        transactionHistory + transactions + appTransactions + subscriptions + extensions + orders + refunds
            + consumption + notifications
    }

    /// A router for these routes; it refuses all other requests as documented.
    package func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        let endpoints = endpoints
        // Added before the middleware, so that OCSP requests are neither refused nor logged.
        OCSPRoutes(shop: shop, environment: environment, meter: meter).add(to: router)
        router.add(
            middleware: RefusalMiddleware(shop: shop, environment: environment, endpoints: endpoints, meter: meter)
        )
        addVerifyReceipt(to: router)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                let parameters = endpoint.names.map { name in
                    (name, context.parameters.get(name).flatMap { $0.percentDecoded } ?? "")
                }
                return try await answer(endpoint, request, context, Dictionary(uniqueKeysWithValues: parameters))
            }
            // The router ignores empty components, but an empty id must be answered as a malformed id.
            for path in endpoint.pathsOfEmptyParts {
                router.on(RouterPath(path), method: endpoint.method) { request, context in
                    guard let parameters = endpoint.parameters(of: request.uri.path) else { throw PathLacksID() }
                    return try await answer(endpoint, request, context, parameters)
                }
            }
        }
        return router
    }

    private func answer(
        _ endpoint: Endpoint,
        _ request: Request,
        _ context: APIContext,
        _ parameters: [String: String]
    ) async throws -> Response {
        var claimed = ClaimedIdentity()
        defer { context.claimed.set(claimed) }
        let caller = try authentication.caller(of: request, appErrors: endpoint.appErrors, noting: &claimed)
        let exchange = Exchange(
            request: request,
            parameters: parameters,
            query: try Query(request.uri.query),
            caller: caller,
            now: shop.now(in: caller.scope)
        )
        try refuseUnreleased(caller)
        guard shop.faults.isEmpty else { return try await answerUnderFaults(endpoint, exchange, context) }
        return try await answerByProfile(endpoint, exchange)
    }
}

/// The path of a route without its id; it may be the path of another route with another method.
struct PathLacksID: Error {}

/// One of Apple's routes: its path and its answer.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// With `{name}` for each parameter; most have one, `{id}`.
    let path: String
    let appErrors: AppErrors
    let answer: @Sendable (Exchange) async throws -> Response

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        appErrors: AppErrors = .undocumented,
        answer: @escaping @Sendable (Exchange) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.appErrors = appErrors
        self.answer = answer
    }

    /// The parameters' names, in the order of the path.
    var names: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The path as the router sees it when one or all parameters are empty.
    var pathsOfEmptyParts: [String] {
        names.indices.map { count in names[count...].reduce(path) { $0.replacing("/{\($1)}", with: "") } }
    }

    /// The number of path components that are not parameters.
    var wordCount: Int { path.split(separator: "/").count { !$0.hasPrefix("{") } }

    /// The percent-decoded parameters of a path, including empty ones; nil for a path of another route.
    func parameters(of address: String) -> [String: String]? {
        let wanted = path.split(separator: "/", omittingEmptySubsequences: false)
        let found = address.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == found.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, value) in zip(wanted, found) {
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = value.percentDecoded ?? ""
            } else if part != value {
                return nil
            }
        }
        return parameters
    }
}

/// An authenticated request and the instant of its answer.
struct Exchange: Sendable {
    let request: Request
    /// The path parameters, percent-decoded.
    let parameters: [String: String]
    let query: Query
    let caller: Caller
    /// The shop's time.
    let now: Timestamp
    /// A staleReads fault: purchases of the last milliseconds of real time are not found.
    var readGap: Int?

    var scope: AccountScope { caller.scope }

    /// The id in the path.
    var parameter: String { parameters["id"] ?? "" }

    /// The whole body.
    ///
    /// - Throws: `APIError.tooLarge` beyond 64 KiB, far more than these routes need.
    func body() async throws -> [UInt8] {
        do {
            return Array(buffer: try await request.body.collect(upTo: 65_536))
        } catch is NIOTooManyBytesError {
            throw APIError.tooLarge("The body is longer than 65536 bytes.")
        } catch {
            // Bad chunks or an early end are errors of the client, whatever error the parser throws.
            throw APIError.malformed("The body did not arrive whole or is not framed as HTTP asks.")
        }
    }
}

extension Exchange {
    /// The body as a JSON object.
    ///
    /// - Throws: an `APIError` without a code if the body is not a JSON object.
    func object() async throws -> RequestBody { try RequestBody(try await body()) }
}

extension Response {
    /// 200 with a JSON body; Apple's clients compare the content type exactly.
    static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }
}
