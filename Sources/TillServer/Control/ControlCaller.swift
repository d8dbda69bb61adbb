import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TillControl
import TillJSON
import TillShop
import TillStorage

/// Calls operations of the control API without HTTP, under the same locks.
package struct ControlCaller: Sendable {
    private let control: ControlAPI
    private let routes: [String: ControlRoute]
    private var caller: Principal

    /// Creates the caller for the operations of a control API.
    ///
    /// - Parameter caller: who calls the operations.
    package init(_ control: ControlAPI, by caller: Principal = .console) {
        self.control = control
        self.caller = caller
        routes = Dictionary(uniqueKeysWithValues: control.routes.map { ($0.id, $0) })
    }

    /// Calls the same operations for another caller.
    package func acting(for caller: Principal) -> ControlCaller {
        var control = self
        control.caller = caller
        return control
    }

    /// Sends a typed request to the handler of its operation. No JSON is written or parsed, so the limits of the
    /// request's properties are not checked.
    ///
    /// - Throws: `ControlError`, as over HTTP.
    package func send<Request: ControlRequest>(_ request: Request) async throws(ControlError) -> Request.Answer {
        do {
            let id = Request.operationID
            guard
                let route = routes[id], !route.readsDocument, case .handler(let any) = route.work,
                let handler = any.value as? ControlHandler<Request>
            else { throw Self.unknown(id) }
            let parts = try RequestParts(request)
            var typed = ControlExchange(shop: control.shop)
            typed.request = request
            return try await control.run(route, by: caller, on: parts.path) {
                // The identifiers of a typed request, for the audit log.
                var described = exchange(parts.path, Query(parts.query))
                described.properties = parts.others
                PendingAudit.current?.describe { [described] in $0.add(described) }
                return try await handler.answer(to: typed, of: route, on: control)
            }
        } catch {
            throw ControlError(of: error, logger: control.shop.logger)
        }
    }

    /// The operations that change something, in alphabetical order.
    package var changingOperations: [String] { routes.values.filter { $0.method != .get }.map(\.id).sorted() }

    /// The operation with an id; nil for an unknown id, and for an operation that streams its answer.
    package subscript(_ id: String) -> OperationForm? {
        guard let route = routes[id], !route.work.isDownload else { return nil }
        return OperationForm(route)
    }

    /// Calls an operation with the fields of a form, with the same checks as over HTTP.
    ///
    /// - Parameters:
    ///   - parameters: the path parameters.
    ///   - document: the raw body for an operation with its own body parser; `body` is ignored then. The maximum length
    ///     is that of a catalog, also for bodies that are streamed over HTTP.
    ///   - check: throws an error if the operation must not run for a reason that the operation itself does not know.
    ///     The audit log records such a refusal like the others.
    /// - Returns: the typed answer, such as `ActionInfo`.
    /// - Throws: `ControlError`.
    package func perform(
        _ id: String,
        _ parameters: [String: String] = [:],
        query: [(name: String, value: String)] = [],
        body: JSONTree = .object([]),
        document: [UInt8]? = nil,
        if check: (@Sendable (Shop) async throws -> Void)? = nil
    ) async throws(ControlError) -> any Encodable & Sendable {
        do {
            guard let route = routes[id], !route.work.isDownload else { throw Self.unknown(id) }
            return try await control.run(route, by: caller, on: parameters) {
                let query = Query(query)
                try query.checkNull()
                guard !parameters.values.contains(where: { $0.utf8.contains(0) }) else {
                    throw ControlError.bad("bad_path", "The path contains U+0000.", path: "path")
                }
                let bytes = route.request == nil ? [] : document ?? body.written()
                guard bytes.count <= route.maxBody else { throw ControlError.tooLarge(route.maxBody) }
                switch route.work {
                case .download: throw Self.unknown(id)
                case .upload(let take):
                    let exchange = exchange(parameters, query)
                    PendingAudit.current?.describe { $0.add(exchange) }
                    let answer = try await take(exchange, .init(buffer: ByteBuffer(bytes: bytes)))
                    await control.shop.settleNodes()
                    return answer
                case .handler(let handler):
                    let exchange = try control.exchange(route, parameters, query, bytes)
                    try await check?(control.shop)
                    return try await handler.value.answer(to: exchange, of: route, on: control)
                }
            }
        } catch {
            throw ControlError(of: error, logger: control.shop.logger)
        }
    }

    /// Calls an operation that streams its answer.
    /// - Returns: the body and its media type.
    /// - Throws: `ControlError`.
    package func download<Request: ControlDownload>(_ request: Request) async throws(ControlError) -> (
        body: ResponseBody, mediaType: String
    ) {
        do {
            guard let route = routes[Request.operationID], case .download(let body) = route.work else {
                throw Self.unknown(Request.operationID)
            }
            let parts = try RequestParts(request)
            return try await control.run(route, by: caller, on: parts.path) {
                (try await body(exchange(parts.path, Query(parts.query))), ControlRoute.streamType)
            }
        } catch {
            throw ControlError(of: error, logger: control.shop.logger)
        }
    }

    private func exchange(_ parameters: [String: String], _ query: Query) -> ControlExchange {
        ControlExchange(shop: control.shop, parameters: parameters, query: query)
    }

    private static func unknown(_ id: String) -> ControlError {
        ControlError.notFound("unknown_operation", "There is no operation \(id.cut(toBytes: 64)).")
    }
}

/// The properties of an operation that the console needs to show its form.
package struct OperationForm: Sendable {
    /// The value of `operationId`.
    package let id: String
    /// Whether the operation only reads.
    package let isReadOnly: Bool
    /// The names of the path parameters.
    package let parameters: [String]
    /// The schema of the request body; nil without a body.
    package let request: Schema?
    /// The properties that are sent in the query.
    package let query: [Schema.Property]
    /// Whether the operation has its own body parser, such as the catalog's.
    package let readsItsOwnBody: Bool
    /// What the operation may do to production data.
    package let productionEffect: ProductionEffect
    /// Whether the operation deletes data that no other operation restores.
    package let isIrreversible: Bool

    fileprivate init(_ route: ControlRoute) {
        id = route.id
        isReadOnly = route.method == .get
        parameters = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        request = route.request
        query = route.query
        readsItsOwnBody = route.readsItsOwnBody
        productionEffect = route.productionEffect
        isIrreversible = route.isIrreversible
    }
}

extension ControlAPI {
    /// The answer as JSON.
    static func bytes(of answer: any Encodable) throws -> [UInt8] { try JSONTree(encoding: answer).compact }

    /// A request whose body is checked against the operation's schema.
    func exchange(
        _ route: ControlRoute,
        _ parameters: [String: String],
        _ query: Query,
        _ bytes: [UInt8]
    ) throws -> ControlExchange {
        var exchange = ControlExchange(shop: shop, parameters: parameters, query: query, bytes: bytes)
        if let schema = route.request, !route.readsItsOwnBody {
            let tree = try Self.tree(of: bytes)
            let faults = schema.faults(in: tree)
            guard faults.isEmpty else {
                let words = faults.prefix(3).map(\.description).joined(separator: "; ")
                throw ControlError.bad("bad_request", "The body is invalid: \(words).", faults)
            }
            exchange.properties = tree.members
        } else if route.request == nil {
            try Self.refuseBody(bytes, of: route)
        }
        PendingAudit.current?.describe { [exchange] in $0.add(exchange) }
        return exchange
    }

    /// Refuses a body for an operation that needs none, because the client probably meant another operation. An empty
    /// object is accepted, because many clients always send a body.
    private static func refuseBody(_ bytes: [UInt8], of route: ControlRoute) throws {
        guard !bytes.isEmpty, (try? JSONTree.parse(bytes)) != .object([]) else { return }
        throw ControlError.bad("unexpected_body", "\(route.id) takes no body. Remove it.", [])
    }

    /// Parses a body. A missing body means the same as an empty object.
    private static func tree(of bytes: [UInt8]) throws -> JSONTree {
        guard !bytes.isEmpty else { return .object([]) }
        do {
            return try JSONTree.parse(bytes)
        } catch {
            let words = error.faults.map(\.description).joined(separator: "; ")
            throw ControlError.bad("bad_json", "The body is not JSON: \(words).", error.faults)
        }
    }
}

extension Query {
    /// Refuses U+0000, which PostgreSQL cannot store.
    ///
    /// - Throws: `ControlError`.
    func checkNull() throws {
        guard !hasNull else {
            throw ControlError.bad("bad_query", "A query parameter contains U+0000.", path: "query")
        }
    }
}
