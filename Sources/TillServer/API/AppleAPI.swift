import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillCore
import TillShop
import TillStorage

/// Apple's routes in one realm. Each family of routes has a file of its own beside this one.
package struct AppleAPI: Sendable {
    let shop: Shop
    let realm: Realm
    let authentication: Authentication
    let meter: RequestMeter

    /// The routes of a realm over a shop.
    package init(shop: Shop, realm: Realm, meter: RequestMeter) {
        self.shop = shop
        self.realm = realm
        self.meter = meter
        authentication = Authentication(shop: shop, realm: realm)
    }

    /// Every route that is served, family by family.
    var endpoints: [Endpoint] {
        transactionHistory + transactions + appTransactions + subscriptions + orders + refunds
    }

    /// A router that answers these routes and refuses everything else as documented.
    package func router() -> Router<APIContext> {
        let router = Router(context: APIContext.self)
        let endpoints = endpoints
        router.add(middleware: RefusalMiddleware(shop: shop, realm: realm, endpoints: endpoints, meter: meter))
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                try await answer(endpoint, request, context)
            }
            // The router takes no notice of empty parts; an empty id is an id nevertheless, and a malformed one.
            router.on(RouterPath(endpoint.path.replacing("/{id}", with: "")), method: endpoint.method) {
                request,
                context in
                guard request.uri.path.contains("//") || request.uri.path.hasSuffix("/") else {
                    throw APIError.noSuchRoute("The path lacks its id.")
                }
                return try await answer(endpoint, request, context)
            }
        }
        return router
    }

    private func answer(_ endpoint: Endpoint, _ request: Request, _ context: APIContext) async throws -> Response {
        var claimed = ClaimedIdentity()
        defer { context.claimed.set(claimed) }
        let caller = try authentication.caller(of: request, appErrors: endpoint.appErrors, noting: &claimed)
        let exchange = Exchange(
            request: request,
            parameter: context.parameters.get("id").flatMap { $0.removingPercentEncoding } ?? "",
            query: try Query(request.uri.query),
            caller: caller,
            now: shop.now(in: caller.scope)
        )
        return try await endpoint.answer(exchange)
    }
}

/// A route of Apple's: what it matches and what it answers.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// With `{id}` for the one parameter that a path may have.
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
}

/// An authenticated request and the instant at which it is answered.
struct Exchange: Sendable {
    let request: Request
    /// The id in the path, percent-decoded.
    let parameter: String
    let query: Query
    let caller: Caller
    /// The shop's time.
    let now: Timestamp

    var scope: AccountScope { caller.scope }

    /// The whole body.
    ///
    /// - Throws: `APIError.tooLarge` beyond 64 KiB, which no body of these routes comes near.
    func body() async throws -> [UInt8] {
        do {
            return Array(buffer: try await request.body.collect(upTo: 65_536))
        } catch is NIOTooManyBytesError {
            throw APIError.tooLarge("The body is longer than 65536 bytes.")
        } catch {
            // Bad chunks, or an end before the announced length: the client's doing, whatever the parser calls it.
            throw APIError.malformed("The body did not arrive whole or is not framed as HTTP asks.")
        }
    }
}

extension Response {
    /// 200 with a JSON body; the content type is exactly what Apple's clients compare with.
    static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }
}
