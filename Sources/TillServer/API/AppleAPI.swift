import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillStorage

/// The App Store Server API in one environment. Each group of endpoints is an extension in its own file.
package struct AppleAPI: Sendable {
    let shop: Shop
    let environment: StoreEnvironment
    let authentication: Authentication
    let meter: RequestMeter

    /// Creates the API of an environment of a shop.
    package init(shop: Shop, environment: StoreEnvironment, meter: RequestMeter) {
        self.shop = shop
        self.environment = environment
        self.meter = meter
        authentication = Authentication(shop: shop, environment: environment)
    }

    /// Every served endpoint, by group.
    var endpoints: [Endpoint] {
        transactionHistory + transactions + appTransactions + subscriptions + extensions + orders + refunds
            + consumption + notifications
    }

    /// A router for the endpoints. All other requests get the documented refusal.
    package func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        let endpoints = endpoints
        let paths = [Self.verifyReceiptPath, OCSPRoutes.path] + endpoints.map(\.path)
        let listener = meter.listener(environment, routes: paths)
        // These routes are added before the middleware, which would refuse and log OCSP requests.
        OCSPRoutes(shop: shop, environment: environment, meter: listener, accessLog: AccessLog(shop)).add(to: router)
        router.add(
            middleware: RefusalMiddleware(
                shop: shop,
                environment: environment,
                endpoints: endpoints,
                meter: meter,
                listener: listener
            )
        )
        addVerifyReceipt(to: router)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                let parameters = endpoint.names.map { name in
                    (name, context.parameters.get(name).flatMap { $0.percentDecoded } ?? "")
                }
                return try await answer(endpoint, request, context, Dictionary(uniqueKeysWithValues: parameters))
            }
            // The router ignores empty path components, but Apple answers an empty id like a malformed id.
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
        defer { context.annotations.change { [claimed] in $0.claimed = claimed } }
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

/// The path of an endpoint, but without its id. Another endpoint may have the same path with another method.
struct PathLacksID: Error {}

/// An endpoint of the App Store Server API: a method, a path, and the function that answers.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path, with `{name}` for each parameter. Most paths have one parameter, `{id}`.
    let path: String
    /// The names of the parameters, in path order.
    let names: [String]
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
        names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        self.appErrors = appErrors
        self.answer = answer
    }

    /// The path as the router sees it when the last parameters, or all of them, are empty.
    var pathsOfEmptyParts: [String] {
        names.indices.map { count in names[count...].reduce(path) { $0.replacing("/{\($1)}", with: "") } }
    }

    /// The number of fixed path components.
    var wordCount: Int { path.split(separator: "/").count { !$0.hasPrefix("{") } }

    /// The percent-decoded parameters of a path, which may be empty; nil if the path belongs to another endpoint.
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

/// An authenticated request, and the simulated time at which it is answered.
struct Exchange: Sendable {
    let request: Request
    /// The percent-decoded path parameters.
    let parameters: [String: String]
    let query: Query
    let caller: Caller
    /// The time on the clock of the app's environment.
    let now: Timestamp
    /// The milliseconds of real time for which a `staleReads` fault hides new purchases; nil without such a fault.
    var readGap: Int?

    var scope: AccountScope { caller.scope }

    /// The `id` in the path.
    var parameter: String { parameters["id"] ?? "" }

    /// Reads the whole body.
    ///
    /// - Throws: `APIError.tooLarge` for more than 64 KiB, which no endpoint needs.
    func body() async throws -> [UInt8] {
        try await request.bytes(
            upTo: 65_536,
            tooLarge: APIError.tooLarge("The body is longer than 65536 bytes."),
            invalid: .malformed("The body is incomplete, or its HTTP framing is invalid.")
        )
    }

    /// Reads the body as a JSON object.
    ///
    /// - Throws: an `APIError` without a code if the body is not a JSON object.
    func object() async throws -> RequestBody { try RequestBody(try await body()) }
}
