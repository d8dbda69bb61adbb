import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TillShop

/// Control without HTTP: the verbs by their names, with the same checks and in the same places of the shop.
package struct ControlVerbs: Sendable {
    private let control: ControlAPI
    private let routes: [String: ControlRoute]

    /// The verbs of a control API.
    package init(_ control: ControlAPI) {
        self.control = control
        routes = Dictionary(uniqueKeysWithValues: control.routes.map { ($0.id, $0) })
    }

    /// A verb by its operation id; nil for one that there is not, or that answers piece by piece.
    package subscript(_ id: String) -> ControlVerb? {
        guard let route = routes[id], !route.isDownload else { return nil }
        return ControlVerb(route)
    }

    /// Does what a call over HTTP would do.
    ///
    /// - Parameters:
    ///   - parameters: those of the path.
    ///   - document: the body, where the verb reads one of its own; then `body` is not looked at. One that may come
    ///     piece by piece is no longer here than a catalogue.
    /// - Returns: the answer; nil where it has no body.
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
            guard bytes.count <= route.longestBody else { throw ControlError.tooLarge(route.longestBody) }
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

    /// What a verb answers piece by piece, and its media type.
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
        ControlError.notFound("unknown_verb", "There is no verb \(id.cut(toBytes: 64)).")
    }
}

/// What a form must know of a verb.
package struct ControlVerb: Sendable {
    /// `operationId`.
    package let id: String
    /// One sentence.
    package let summary: String
    /// Whether it changes nothing.
    package let isQuestion: Bool
    /// Names of the parameters in its path.
    package let parameters: [String]
    /// The shape of its body; nil for one without.
    package let request: Schema?
    /// Whether its body is a document of its own, such as a catalogue.
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
    /// Checks the body against the verb's schema and does what it says, where in the shop such a verb may.
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
                    message: "The body does not fit: \(words).",
                    faults: faults
                )
            }
            body = ControlBody(tree)
        } else if route.request == nil {
            try Self.refuseBody(bytes, of: route)
        }
        let exchange = ControlExchange(shop: shop, parameters: parameters, query: query, bytes: bytes, body: body)
        // A catalogue's tree is many times its text; one at a time bounds what they take together.
        let answer =
            if route.readsItsOwnBody {
                try await shop.exclusivelyHere("catalogue") { try await route.answer(exchange) }
            } else if route.waitsForRestore, route.method != .get {
                try await shop.besideOthers { try await route.answer(exchange) }
            } else {
                try await route.answer(exchange)
            }
        // Whichever node is asked next knows of it.
        if route.waitsForNodes { await shop.settleNodes() }
        return (answer, exchange.isUnchanged.value ? route.unchangedStatus ?? route.status : route.status)
    }

    /// An operation that reads no body takes none: what was meant for another server must not run it. An empty object
    /// says nothing either, and clients send it.
    private static func refuseBody(_ bytes: [UInt8], of route: ControlRoute) throws {
        guard !bytes.isEmpty, (try? JSONTree.parse(bytes)) != .object([]) else { return }
        throw ControlError(
            status: .badRequest,
            code: "unexpected_body",
            message: "\(route.id) takes no body; leave it out."
        )
    }

    /// A body that is left out says the same as an empty object.
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
    /// Whether it answers piece by piece.
    fileprivate var isDownload: Bool { if case .download? = transfer { true } else { false } }

    /// A catalogue has a reader of its own, which names every fault.
    var readsItsOwnBody: Bool {
        if case .anyObject? = request { true } else { false }
    }

    /// A catalogue may be large; nothing else is.
    var longestBody: Int { readsItsOwnBody ? CatalogLimits.bytes : 65_536 }
}

extension Query {
    /// - Throws: `ControlError`, since not every engine can keep U+0000.
    func checkNull() throws {
        guard !hasNull else {
            throw ControlError.bad("bad_query", "A parameter of the query has U+0000.", path: "query")
        }
    }
}
