import HTTPTypes
import Hummingbird
import HummingbirdCore
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// What runs a declared operation: a typed request becomes a typed answer, after the deliveries that the request waits
/// for.
struct ControlHandler<Request: ControlRequest>: RequestHandler {
    let schema: RequestSchema<Request>
    let handle: @Sendable (ControlCall<Request>) async throws -> Request.Answer

    /// Runs the operation under its lock. If the request asks for it, the answer then waits, without the lock, for the
    /// deliveries that the operation caused.
    func answer(to exchange: ControlExchange, of route: ControlRoute, on control: ControlAPI) async throws
        -> Request.Answer
    {
        let shop = exchange.shop
        do {
            let request = try exchange.request as? Request ?? schema.request(of: exchange)
            let run = {
                let call = ControlCall(request: request, exchange: exchange)
                let answer =
                    switch route.lock {
                    case .none: try await handle(call)
                    case .shared: try await shop.gate.shared { try await handle(call) }
                    case .catalog:
                        try await shop.gate.shared {
                            try await shop.locks.exclusivelyHere("catalogue") { try await handle(call) }
                        }
                    }
                // After the answer, a request to any node sees the change.
                if route.waitsForNodes { await shop.settleNodes() }
                return answer
            }
            guard let seconds = (request as? any SettlingRequest)?.settle else { return try await run() }
            let settlement = Settlement(in: shop, within: .seconds(seconds))
            let answer = try await settlement.collect(run)
            guard var settled = answer as? any SettledAnswer else { return answer }
            settled.settled = try await control.info(of: await settlement.result())
            return settled as? Request.Answer ?? answer
        } catch let error as ControlError {
            throw error.withValues(of: exchange)
        }
    }
}

/// A `ControlHandler` of any request.
protocol RequestHandler: Sendable {
    /// The type of the answer.
    associatedtype Answer: Encodable & Sendable

    /// The typed answer to a request whose body was already checked.
    func answer(to exchange: ControlExchange, of route: ControlRoute, on control: ControlAPI) async throws -> Answer
}

/// A request in progress, with the shop. The properties of the request can be read directly.
@dynamicMemberLookup
struct ControlCall<Request: ControlCallable>: Sendable {
    let request: Request
    let exchange: ControlExchange

    var shop: Shop { exchange.shop }

    subscript<Value>(dynamicMember path: KeyPath<Request, Value>) -> Value { request[keyPath: path] }

    /// Notes that the object to create already existed, so that the answer has `ControlOperation.unchangedStatus`.
    func answersUnchanged(_ isUnchanged: Bool) { exchange.isUnchanged.value = isUnchanged }
}

extension ControlCall where Request: AppRequest {
    /// The app of the request.
    func app() throws -> AppRecord { try exchange.app(request.bundleId) }
}

extension ControlCall where Request: EnvironmentRequest {
    /// The app of the request.
    func app() throws -> AppRecord { try exchange.app(request.app.bundleId) }

    /// The app and environment of the request.
    func scope() throws -> AccountScope {
        AccountScope(environment: request.app.environment, app: try app().bundleID)
    }

    /// The account of a customer of the app.
    func account(of customer: String) async throws -> Account {
        try await exchange.account(of: customer, in: try scope())
    }

    /// A transaction of the app, with its account.
    func transaction(_ id: String) async throws -> (row: Transaction, account: Account) {
        try await exchange.transaction(id, in: try scope())
    }
}

extension ControlCall where Request: CustomerRequest {
    /// The customer of the request. The customer need not exist.
    func customerName() throws -> CustomerName {
        CustomerName(try scope(), try ControlExchange.checked(customer: request.customer))
    }

    /// The account of the request's customer.
    func account() async throws -> Account { try await account(of: request.customer) }
}

extension ControlCall where Request: TransactionRequest {
    /// The transaction of the request, with its account.
    func transaction() async throws -> (row: Transaction, account: Account) {
        try await transaction(request.transactionId)
    }
}

extension ControlCall where Request: DocumentUpload {
    /// The document in the body, which was not parsed yet.
    var document: [UInt8] { exchange.bytes }
}

extension ControlRoute {
    /// The route of a declared operation.
    ///
    /// - Parameters:
    ///   - waitsForRestore: false for a request that another running operation needs to continue.
    ///   - selectsByCaller: whether the answer contains only what `Principal.current` may read.
    init<Request: ControlRequest>(
        _ type: Request.Type,
        waitsForRestore: Bool = true,
        selectsByCaller: Bool = false,
        _ handle: @escaping @Sendable (ControlCall<Request>) async throws -> Request.Answer
    ) {
        self.init(running: type, handle)
        self.waitsForRestore = waitsForRestore
        self.selectsByCaller = selectsByCaller
    }

    /// The route of a declared operation that parses its body itself.
    init<Request: DocumentUpload>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (ControlCall<Request>) async throws -> Request.Answer
    ) {
        self.init(running: type, handle)
        // A cast to `DocumentUpload` would search all conformances in the program, for each operation at each start.
        readsDocument = true
    }

    private init<Request: ControlRequest>(
        running type: Request.Type,
        _ handle: @escaping @Sendable (ControlCall<Request>) async throws -> Request.Answer
    ) {
        // The generic types of a handler are made when it is first needed: making them for a hundred operations took an
        // eighth of the time of a start.
        let handler = OnFirstUse<any RequestHandler> { ControlHandler(schema: RequestSchema(type), handle: handle) }
        self.init(type, .handler(handler), response: Self.schema(of: Request.Answer.self))
    }

    /// The route of a declared operation that streams its answer.
    init<Request: ControlDownload>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (ControlCall<Request>) async throws -> ResponseBody
    ) {
        let schema = OnFirstUse { RequestSchema(type) }
        let download = { @Sendable (exchange: ControlExchange) in
            try await handle(ControlCall(request: try schema.value.request(of: exchange), exchange: exchange))
        }
        self.init(type, .download(download), response: { .anyObject("JSON lines.") })
    }

    /// The route of a declared operation whose body is streamed. Such an operation does not wait for a running restore.
    init<Request: ControlUpload>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (ControlCall<Request>, HummingbirdCore.RequestBody) async throws -> Request.Answer
    ) {
        let schema = OnFirstUse { RequestSchema(type) }
        let work = Work.upload { exchange, body in
            try await handle(ControlCall(request: try schema.value.request(of: exchange), exchange: exchange), body)
        }
        let response = Self.schema(of: Request.Answer.self)
        self.init(type, work, body: .anyObject("JSON lines."), response: response)
        waitsForRestore = false
    }

    private init<Request: ControlCallable>(
        _ type: Request.Type,
        _ work: Work,
        body: Schema? = nil,
        response: (@Sendable () -> Schema)?
    ) {
        let operation = Request.operation
        self.init(
            method: HTTPRequest.Method(rawValue: operation.method.rawValue) ?? .get,
            path: operation.path,
            id: Request.operationID,
            tag: operation.tag.rawValue,
            scope: operation.scope,
            details: OnFirstUse { RequestDetails(RequestSchema(type), body: body) },
            response: response,
            status: HTTPResponse.Status(code: operation.status),
            unchangedStatus: operation.unchangedStatus.map { HTTPResponse.Status(code: $0) },
            work: work
        )
    }

    private static func schema<Answer: Decodable & Sendable>(of type: Answer.Type) -> (@Sendable () -> Schema)? {
        guard type != NoAnswer.self else { return nil }
        return { SchemaRecorder.documented.schema(of: Answer.self) }
    }
}

/// Where the properties of a request are sent: in the path, in the query or in the body.
struct RequestSchema<Request: ControlCallable>: Sendable {
    /// A parameter in the path.
    private struct PathParameter {
        let schema: Schema.Property
        /// The property that consists of parameters, such as `app`; nil for a parameter that is a property itself.
        let owner: String?
    }

    let summary: String
    let query: [Schema.Property]
    /// The schema of the body; nil for an operation without a body.
    let body: Schema?
    private let path: [PathParameter]
    /// The property that consists of parameters in the path, such as `app`; nil without one.
    private let owner: String?
    private let queryNames: [String]
    /// The names of the properties that are sent in the body.
    private let bodyNames: [String]

    /// The parameters in the path.
    var pathParameters: [Schema.Property] { path.map(\.schema) }

    init(_ type: Request.Type) {
        let operation = Request.operation
        let schema = SchemaRecorder.documented.schema(of: type)
        guard case .component(_, let name, .object(let summary, let properties)) = schema else {
            preconditionFailure("\(type) has no properties")
        }
        let names = Set(operation.pathParameters)
        var path: [PathParameter] = []
        var others: [Schema.Property] = []
        for property in properties {
            if names.contains(property.name) {
                path.append(PathParameter(schema: property, owner: nil))
            } else if case .component(_, _, .object(_, let parts)) = property.schema,
                parts.allSatisfy({ names.contains($0.name) })
            {
                path += parts.map { PathParameter(schema: $0, owner: property.name) }
            } else {
                others.append(property)
            }
        }
        self.summary = summary
        self.path = path
        owner = path.lazy.compactMap(\.owner).first
        query = others.filter { Request.isInQuery($0.name) }
        queryNames = query.map(\.name)
        others.removeAll { Request.isInQuery($0.name) }
        bodyNames = others.map(\.name)
        if let type = type as? any DocumentUpload.Type {
            body = type.documentSchema
        } else {
            body = Self.body(others, name: name, summary)
        }
    }

    /// The body with its component. Operations whose bodies have the same properties share one.
    private static func body(_ properties: [Schema.Property], name: String, _ summary: String) -> Schema? {
        switch properties.map(\.name) {
        case []: nil
        case ["at"]: .component("", name: "ActionTime", .object("The time of the operation.", properties))
        case ["sharedSecret", "remove"]:
            .component("", name: "SharedSecretChange", .object("Sets or removes a shared secret.", properties))
        default: .component("", name: name, .object(summary, properties))
        }
    }

    /// The typed request, from a body that was already checked, and from parameters that are checked here.
    ///
    /// - Throws: `ControlError` for an invalid parameter.
    func request(of exchange: ControlExchange) throws -> Request {
        var members: [JSONTree.Member] = []
        var owned: [JSONTree.Member] = []
        for parameter in path {
            let member = try Self.member(parameter.schema, exchange.parameter(parameter.schema.name)) { text, faults in
                let name = parameter.schema.name
                let words = "There is no \(name) \(text.prefix(64)). Give \(faults[0].expected)."
                return ControlError.notFound("unknown_\(name)", words)
            }
            if parameter.owner == nil { members.append(member) } else { owned.append(member) }
        }
        if let owner { members.append(.init(owner, .object(owned))) }
        try checkNames(in: exchange.query)
        for property in query {
            guard let text = try Self.text(of: property, in: exchange.query) else {
                guard property.isRequired else { continue }
                throw ControlError.bad(
                    "bad_query",
                    "The query parameter \(property.name) is required.",
                    [JSONFault(path: property.name, expected: "a value", found: "nothing")]
                )
            }
            let member = try Self.member(property, text) { _, faults in
                ControlError.bad("bad_query", "\(property.name) must be \(faults[0].expected).", faults)
            }
            members.append(member)
        }
        do {
            return try JSONTree.object(members + exchange.properties).decode(Request.self)
        } catch DecodingError.dataCorrupted(let context) {
            // The schema does not check the values of a type that decodes itself, such as a storefront's code.
            let path = (["$"] + context.codingPath.map(\.stringValue)).joined(separator: ".")
            var error = ControlError.bad("bad_request", "\(context.debugDescription.prefix(100)).", path: path)
            error.message = "\(path): \(error.message)"
            throw error
        }
    }

    /// Refuses unknown parameters: a request to delete one app must not delete all because of a misspelled name.
    private func checkNames(in given: Query) throws {
        guard let unknown = given.names.first(where: { !queryNames.contains($0) }) else { return }
        let name = unknown.cut(toBytes: 64)
        let words = queryNames.isEmpty ? "no query parameters" : queryNames.joined(separator: ", ")
        let isInBody = bodyNames.contains(name)
        let advice = isInBody ? "Send it in the body." : "Remove or correct it. The operation takes: \(words)."
        throw ControlError.bad(
            "bad_query",
            "\(Request.operationID) has no query parameter \(name). \(advice)",
            [JSONFault(path: name, expected: words, found: "an unknown name")]
        )
    }

    /// The text of a query parameter; nil without it. A list is given by several parameters with the same name, or by
    /// one with commas.
    private static func text(of property: Schema.Property, in query: Query) throws -> String? {
        guard !property.schema.isList else {
            let values = query.values(property.name)
            return values.isEmpty ? nil : values.joined(separator: ",")
        }
        return try query.value(property.name) { ControlError.bad("bad_query", $0, path: property.name) }
    }

    /// A parameter as a member of the request.
    private static func member(
        _ property: Schema.Property,
        _ text: String,
        orThrow error: (String, [JSONFault]) -> ControlError
    ) throws -> JSONTree.Member {
        let value = property.schema.value(of: text)
        let faults = property.schema.faults(in: value, at: property.name)
        guard faults.isEmpty else { throw error(text, faults) }
        return JSONTree.Member(property.name, value)
    }
}

extension DocumentUpload {
    fileprivate static var documentSchema: Schema { SchemaRecorder.documented.schema(of: Document.self) }
}

extension SchemaRecorder {
    /// A recorder that takes the descriptions from the doc comments of the contract.
    static let documented = SchemaRecorder(
        texts: Dictionary(
            ContractText.lines.split(separator: "\n").map { line in
                let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
                return (parts[0], parts[1])
            },
            uniquingKeysWith: { first, _ in first }
        )
    )
}
