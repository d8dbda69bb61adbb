import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// The control API, which has a port of its own (docs/control/index.md). Its OpenAPI document is generated from the
/// routes.
package struct ControlAPI: Sendable {
    /// The shop that the API controls.
    package let shop: Shop
    let facts: ServerFacts
    /// Checks host, origin and token of each request.
    package let guardian: ControlGuard
    let figures: PrometheusFigures
    /// The metrics that are read when they are requested.
    let measured: MeasuredValues?
    let meter: RequestMeter
    let hasPages: Bool
    let refusedCalls = RefusedCalls()
    /// Every operation, in the order of the OpenAPI document.
    private(set) var routes: [ControlRoute] = []

    /// Creates the control API of a running server.
    ///
    /// - Parameters:
    ///   - figures: has the metrics of the server.
    ///   - measured: updates the metrics that are read when they are requested; nil for a server without them.
    ///   - hasPages: whether `/` redirects browsers to the console.
    package init(
        shop: Shop,
        facts: ServerFacts,
        guardian: ControlGuard,
        figures: PrometheusFigures,
        meter: RequestMeter,
        measured: MeasuredValues? = nil,
        hasPages: Bool = false
    ) {
        self.hasPages = hasPages
        self.shop = shop
        self.facts = facts
        self.guardian = guardian
        self.figures = figures
        self.meter = meter
        self.measured = measured
        routes =
            [
                serverRoutes, appRoutes, keyRoutes, catalogRoutes, customerRoutes, importRoutes, ledgerRoutes,
                purchaseRoutes,
                subscriptionRoutes, refundRoutes, familyRoutes, jobRoutes, clockRoutes, settingsRoutes,
                endpointRoutes, notificationRoutes, logRoutes, certificateRoutes, attackRoutes, faultRoutes,
                snapshotRoutes, searchRoutes,
            ].flatMap(\.self)
    }

    /// Creates the router of the control port.
    ///
    /// - Parameter pages: adds the routes of the console, under `ControlGuard.pages`.
    package func router(
        adding pages: (Router<ControlContext>) -> Void = { _ in }
    ) -> Router<ControlContext> {
        let router = Router(context: ControlContext.self)
        let listener = meter.listener(nil, routes: routes.map(\.path))
        router.add(
            middleware: ControlMiddleware(
                guardian: guardian,
                shop: shop,
                meter: meter,
                listener: listener,
                accessLog: AccessLog(shop)
            )
        )
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await answer(route, request, context)
            }
        }
        for (old, new) in RetiredNames.paths {
            // Another operation can have the old path with another method.
            let used = routes.filter { $0.path == old }.map(\.method)
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] where !used.contains(method) {
                router.on(RouterPath(old), method: method) { _, _ -> Response in
                    throw ControlError.notFound("renamed", "The path \(old) is \(new) now.")
                }
            }
        }
        // Few servers are asked for the document, so that the first request writes it.
        let document = Synchronized<[UInt8]?>(nil)
        router.get("/openapi.json") { _, _ in
            let bytes = document.value ?? OpenAPIDocument.bytes(routes)
            document.value = bytes
            return Response.json(bytes)
        }
        router.get("/healthz") { _, _ in try Self.health("ok") }
        router.get("/readyz") { _, _ in try await readiness() }
        router.get("/metrics") { _, context in
            try context.caller?.check(.metrics, for: "/metrics", of: nil)
            await measured?.update()
            return Response.text(figures.text(), type: "text/plain; version=0.0.4")
        }
        pages(router)
        router.get("/") { request, _ in
            // A browser is redirected to the console, if there is one.
            if hasPages, request.headers[.accept]?.contains("text/html") == true {
                return Response(status: .seeOther, headers: [.location: ControlGuard.pages])
            }
            return Response.text("Till's control API. See /openapi.json for its operations.\n")
        }
        return router
    }

    private func readiness() async throws -> Response {
        if shop.locks.isDraining.value { return try Self.health("stopping", .serviceUnavailable) }
        do {
            guard try await shop.hasDiskSpace(in: facts.dataDirectory?.path) else {
                return try Self.health("the disk is full", .serviceUnavailable)
            }
            return try Self.health("ready")
        } catch {
            shop.logger.error("the store does not answer", metadata: ["cause": "\(error.logText)"])
            return try Self.health("the store does not answer", .serviceUnavailable)
        }
    }

    private static func health(_ words: String, _ status: HTTPResponse.Status = .ok) throws -> Response {
        .json(try bytes(of: HealthInfo(status: words)), status: status)
    }

    private func answer(_ route: ControlRoute, _ request: Request, _ context: ControlContext) async throws
        -> Response
    {
        // The guard has let no request to an operation pass without a caller.
        guard let caller = context.caller else { throw ControlError.notFound("no_such_route", "No such route.") }
        let given = context.parameters.map { (name: String($0.key), text: $0.value.percentDecoded) }
        let parameters = Dictionary(uniqueKeysWithValues: given.map { ($0.name, $0.text ?? "") })
        return try await run(route, by: caller, id: context.requestID, on: parameters) {
            if let invalid = given.first(where: { $0.text == nil }) {
                let words = "The path is not percent-encoded UTF-8, or has U+0000."
                throw ControlError.bad("bad_path", words, path: invalid.name)
            }
            guard case .handler(let handler) = route.work else { return try await stream(route.work, request) }
            let bytes = try await request.bytes(
                upTo: route.maxBody,
                tooLarge: ControlError.tooLarge(route.maxBody),
                invalid: .bad("bad_body", "The body is incomplete or not framed correctly (HTTP).", [])
            )
            let exchange = try exchange(route, parameters, try Self.query(of: request), bytes)
            let answer = try await handler.value.answer(to: exchange, of: route, on: self)
            guard !(answer is NoAnswer) else { return Response(status: .noContent) }
            let status = exchange.isUnchanged.value ? route.unchangedStatus ?? route.status : route.status
            return .json(try Self.bytes(of: answer), status: status)
        }
    }

    /// Runs an operation that streams a body.
    private func stream(_ work: ControlRoute.Work, _ request: Request) async throws -> Response {
        let exchange = ControlExchange(shop: shop, query: try Self.query(of: request))
        PendingAudit.current?.describe { $0.add(exchange) }
        switch work {
        case .handler: preconditionFailure("this operation streams no body")
        case .download(let body):
            let headers: HTTPFields = [.contentType: ControlRoute.streamType]
            return Response(status: .ok, headers: headers, body: try await body(exchange))
        case .upload(let answer):
            let answer = try await answer(exchange, request.body)
            await shop.settleNodes()
            return .json(try Self.bytes(of: answer))
        }
    }

    private static func query(of request: Request) throws -> Query {
        let query = try Query(request.uri.query)
        try query.checkNull()
        return query
    }
}

/// Facts about the running server, for `GET /v1/status` and backups.
package struct ServerFacts: Sendable {
    /// The version of the server: `TillVersion.text`, or another text in tests.
    package var version: String
    /// The data directory; nil for a server that stores nothing on disk, which cannot make backups.
    package var dataDirectory: DataDirectory?
    /// Returns the port of the production environment, which the system may choose; 0 before the server listens.
    package var productionPort: @Sendable () -> Int
    /// Returns the port of the sandbox environment; 0 before the server listens.
    package var sandboxPort: @Sendable () -> Int
    /// Returns the port of the control API; 0 before the server listens.
    package var controlPort: @Sendable () -> Int
    /// The OCSP URL in certificates that are issued now.
    package var ocspURL: String { makeOCSPURL() }
    private let makeOCSPURL: @Sendable () -> String
    /// Facts about TLS; nil while TLS is off.
    package var security: SecurityFacts?
    /// Opens a SQLite file for a backup; nil when backups are not possible.
    package var makeStore: (@Sendable (String) throws -> any Storage)?

    /// Collects the facts.
    package init(
        version: String,
        dataDirectory: DataDirectory?,
        productionPort: @escaping @Sendable () -> Int,
        sandboxPort: @escaping @Sendable () -> Int,
        controlPort: @escaping @Sendable () -> Int,
        ocspURL: @autoclosure @escaping @Sendable () -> String,
        security: SecurityFacts? = nil,
        makeStore: (@Sendable (String) throws -> any Storage)? = nil
    ) {
        self.version = version
        self.dataDirectory = dataDirectory
        self.productionPort = productionPort
        self.sandboxPort = sandboxPort
        self.controlPort = controlPort
        makeOCSPURL = ocspURL
        self.security = security
        self.makeStore = makeStore
    }
}
