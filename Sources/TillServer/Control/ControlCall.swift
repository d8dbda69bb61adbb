import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TillJSON
import TillShop

/// The control API without HTTP: operations by id, with the same checks and the same locks.
package struct ControlVerbs: Sendable {
    private let control: ControlAPI
    private let routes: [String: ControlRoute]

    /// The operations of a control API.
    package init(_ control: ControlAPI) {
        self.control = control
        routes = Dictionary(uniqueKeysWithValues: control.routes.map { ($0.id, $0) })
    }

    /// An operation by its id; nil for an unknown one, or one that streams its answer.
    package subscript(_ id: String) -> ControlVerb? {
        guard let route = routes[id], !route.isDownload else { return nil }
        return ControlVerb(route)
    }

    /// Does the same as a call over HTTP.
    ///
    /// - Parameters:
    ///   - parameters: the path parameters.
    ///   - document: the body of an operation with its own body parser; `body` is ignored then. A streamed body may be
    ///     at most as long as a catalog here.
    /// - Returns: the answer; nil without a body.
    /// - Throws: `ControlError`.
    package func call(
        _ id: String,
        _ parameters: [String: String] = [:],
        query: [(name: String, value: String)] = [],
        body: JSONTree = .object([]),
        document: [UInt8]? = nil
    ) async throws(ControlError) -> JSONTree? {
        do {
            guard let route = routes[id], !route.isDownload else { throw Self.unknown(id) }
            let query = Query(query)
            try query.checkNull()
            guard !parameters.values.contains(where: { $0.utf8.contains(0) }) else {
                throw ControlError.bad("bad_path", "The path has U+0000.", path: "path")
            }
            let bytes = route.method == .get ? [] : document ?? body.written()
            guard bytes.count <= route.maxBody else { throw ControlError.tooLarge(route.maxBody) }
            if case .upload(let take)? = route.transfer {
                let answer = try await take(exchange(parameters, query), .init(buffer: ByteBuffer(bytes: bytes)))
                await control.shop.settleNodes()
                return try JSONTree.parse(answer)
            }
            let answer = try await control.perform(route, parameters, query, bytes)
            return route.response == nil ? nil : try JSONTree.parse(answer.bytes)
        } catch {
            throw ControlError(of: error, logger: control.shop.logger)
        }
    }

    /// The streamed answer of an operation, and its media type.
    ///
    /// - Throws: `ControlError`.
    package func download(_ id: String, query: [(name: String, value: String)] = []) async throws(ControlError) -> (
        body: ResponseBody, mediaType: String
    ) {
        do {
            guard case .download(let body)? = routes[id]?.transfer else { throw Self.unknown(id) }
            let query = Query(query)
            try query.checkNull()
            return (try await body(exchange([:], query)), Transfer.mediaType)
        } catch {
            throw ControlError(of: error, logger: control.shop.logger)
        }
    }

    private func exchange(_ parameters: [String: String], _ query: Query) -> ControlExchange {
        ControlExchange(shop: control.shop, parameters: parameters, query: query, bytes: [], body: ControlBody(.null))
    }

    private static func unknown(_ id: String) -> ControlError {
        ControlError.notFound("unknown_verb", "There is no operation \(id.cut(toBytes: 64)).")
    }
}

/// The facts about an operation that a form needs.
package struct ControlVerb: Sendable {
    /// `operationId`.
    package let id: String
    /// One sentence.
    package let summary: String
    /// Whether it only reads.
    package let isQuestion: Bool
    /// Names of the parameters in its path.
    package let parameters: [String]
    /// The schema of its body; nil without a body.
    package let request: Schema?
    /// Whether its body is a document with its own format, such as a catalog.
    package let readsItsOwnBody: Bool

    fileprivate init(_ route: ControlRoute) {
        id = route.id
        summary = route.summary
        isQuestion = route.method == .get
        parameters = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
        request = route.request
        readsItsOwnBody = route.readsItsOwnBody
    }
}

extension ControlAPI {
    /// Checks the body against the operation's schema and runs the operation under the right lock.
    func perform(_ route: ControlRoute, _ parameters: [String: String], _ query: Query, _ bytes: [UInt8]) async throws
        -> (bytes: [UInt8], status: HTTPResponse.Status)
    {
        var body = ControlBody(.null)
        if let schema = route.request, !route.readsItsOwnBody {
            let tree = try Self.tree(of: bytes)
            let faults = schema.faults(in: tree)
            guard faults.isEmpty else {
                let words = faults.prefix(3).map(\.description).joined(separator: "; ")
                throw ControlError(
                    status: .badRequest,
                    code: "bad_request",
                    message: "The body is invalid: \(words).",
                    faults: faults
                )
            }
            body = ControlBody(tree)
        } else if route.request == nil {
            try Self.refuseBody(bytes, of: route)
        }
        let exchange = ControlExchange(shop: shop, parameters: parameters, query: query, bytes: bytes, body: body)
        // A parsed catalog needs many times the memory of its text, so only one is parsed at a time.
        let answer =
            if route.readsItsOwnBody {
                try await shop.exclusivelyHere("catalogue") { try await route.answer(exchange) }
            } else if route.waitsForRestore, route.method != .get {
                try await shop.besideOthers { try await route.answer(exchange) }
            } else {
                try await route.answer(exchange)
            }
        // The next request to any node sees the change.
        if route.waitsForNodes { await shop.settleNodes() }
        return (answer, exchange.isUnchanged.value ? route.unchangedStatus ?? route.status : route.status)
    }

    /// An operation without a body refuses one, because the request was probably meant for another operation. An empty
    /// object is allowed, because clients send it.
    private static func refuseBody(_ bytes: [UInt8], of route: ControlRoute) throws {
        guard !bytes.isEmpty, (try? JSONTree.parse(bytes)) != .object([]) else { return }
        throw ControlError(
            status: .badRequest,
            code: "unexpected_body",
            message: "\(route.id) takes no body. Remove it."
        )
    }

    /// A missing body means the same as an empty object.
    private static func tree(of bytes: [UInt8]) throws -> JSONTree {
        guard !bytes.isEmpty else { return .object([]) }
        do {
            return try JSONTree.parse(bytes)
        } catch {
            let words = error.faults.map(\.description).joined(separator: "; ")
            throw ControlError(
                status: .badRequest,
                code: "bad_json",
                message: "The body is not JSON: \(words).",
                faults: error.faults
            )
        }
    }
}

extension ControlRoute {
    /// Whether it streams its answer.
    fileprivate var isDownload: Bool { if case .download? = transfer { true } else { false } }

    /// Catalogs have their own parser, which reports every fault.
    var readsItsOwnBody: Bool {
        if case .anyObject? = request { true } else { false }
    }

    /// Only catalogs may be large.
    var maxBody: Int { readsItsOwnBody ? CatalogLimits.bytes : 65_536 }
}

extension Query {
    /// - Throws: `ControlError`, since not every engine can keep U+0000.
    func checkNull() throws {
        guard !hasNull else {
            throw ControlError.bad("bad_query", "A parameter of the query has U+0000.", path: "query")
        }
    }
}
