import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// An operation of the control API. This value defines its route, its checks and its OpenAPI entry.
struct ControlRoute: Sendable {
    let method: HTTPRequest.Method
    /// The path, with `{name}` for each parameter.
    let path: String
    /// The value of `operationId`, from which client generators make a function name.
    let id: String
    let tag: String
    /// The scope that a caller needs.
    let scope: ControlScope
    let details: OnFirstUse<RequestDetails>
    /// Derives the schema of the answer's body, which only the OpenAPI document needs; nil for an answer without a
    /// body.
    var response: (@Sendable () -> Schema)?
    var status: HTTPResponse.Status = .ok
    /// The status of the answer if the object to create already exists; nil if that makes no difference.
    var unchangedStatus: HTTPResponse.Status?
    /// Whether the operation waits for a running restore; other operations may run at the same time. Reads do not wait,
    /// nor do requests that another running operation needs to continue.
    var waitsForRestore = true
    /// Whether the answer contains only what the caller may read, so that a token for one app may call the operation
    /// although its path names no app.
    var selectsByCaller = false
    /// Whether the operation parses its body itself. The catalog's parser reports every error.
    var readsDocument = false
    let work: Work

    /// The parameters in the paths of operations that change only customers. Customers are in the store, not in the
    /// memory of the nodes.
    private static let ofCustomers = ["{customer}", "{transactionId}", "{originalTransactionId}"]

    /// Whether the answer waits until all nodes have applied the change, because every node holds the data in memory.
    /// Purchases do not wait, so that a node that was just killed does not delay them.
    var waitsForNodes: Bool { method != .get && !Self.ofCustomers.contains { path.contains($0) } }
}

extension ControlRoute {
    var summary: String { details.value.summary }
    /// The parameters in the path, with their schemas.
    var pathParameters: [Schema.Property] { details.value.pathParameters }
    var query: [Schema.Property] { details.value.query }
    /// The schema of the body; nil for an operation without a body.
    var request: Schema? { details.value.body }
    /// What the operation may do to production data.
    var productionEffect: ProductionEffect { details.value.productionEffect }
    /// Whether the operation deletes data that no other operation restores.
    var isIrreversible: Bool { details.value.isIrreversible }

    /// The lock under which an operation runs.
    enum Lock {
        case none
        /// The shared lock of the shop, which a restore takes exclusively.
        case shared
        /// The shared lock, and another that only one operation holds at a time: a parsed catalog needs many times the
        /// memory of its text.
        case catalog
    }

    /// The lock under which the operation runs.
    var lock: Lock { readsDocument ? .catalog : waitsForRestore && method != .get ? .shared : .none }

    /// What runs an operation. A body of JSON lines is too large for memory, so it is streamed in chunks.
    enum Work: Sendable {
        /// A `ControlHandler`.
        case handler(OnFirstUse<any RequestHandler>)
        case download(@Sendable (ControlExchange) async throws -> ResponseBody)
        case upload(@Sendable (ControlExchange, HummingbirdCore.RequestBody) async throws -> any Encodable & Sendable)

        /// Whether the body of the answer is streamed.
        var isDownload: Bool { if case .download = self { true } else { false } }
        /// Whether the body of the request is streamed.
        var isUpload: Bool { if case .upload = self { true } else { false } }
    }

    /// Whether the operation parses its body itself, as a document or as a stream.
    var readsItsOwnBody: Bool { readsDocument || work.isUpload }

    /// The maximum length of the body in bytes. Only catalogs may be large.
    var maxBody: Int { readsItsOwnBody ? CatalogLimits.bytes : 65_536 }

    /// The media type of a streamed body.
    static let streamType = "application/x-ndjson"
}

/// A control request whose body matches the schema of its operation.
struct ControlExchange: Sendable {
    let shop: Shop
    var parameters: [String: String] = [:]
    var query = Query([])
    /// The body as bytes.
    var bytes: [UInt8] = []
    /// The properties in the body, which match the schema of the operation.
    var properties: [JSONTree.Member] = []
    /// The typed request; nil for a request that is in the parameters, the query and the body.
    var request: (any ControlCallable)?
    /// Set by an operation when the object to create already exists (`ControlRoute.unchangedStatus`).
    let isUnchanged = Synchronized(false)

    /// The value of a path parameter.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The value at a place in the body (`$.offer.id`) or of a parameter (`limit`); nil if the request has none.
    func value(at place: String) -> JSONTree? {
        guard place.hasPrefix("$.") else { return query.values(place).last.map { .string($0) } }
        return place.dropFirst(2).split(separator: ".").reduce(JSONTree?.some(.object(properties))) { tree, key in
            tree?.members.last { $0.key == key }?.value
        }
    }

    /// The app with a bundle identifier.
    func app(_ bundleID: String) throws -> AppRecord {
        if let app = shop.registry.app(bundleID) { return app }
        let known = shop.registry.apps.map(\.bundleID)
        let others = known.count > Self.maxNamedApps ? " and \(known.count - Self.maxNamedApps) others" : ""
        throw ControlError.notFound(
            "unknown_app",
            "There is no app \(bundleID). "
                + (known.isEmpty
                    ? "Create one with till app create."
                    : "Apps: \(known.prefix(Self.maxNamedApps).joined(separator: ", "))\(others).")
        )
    }

    /// The number of apps that an error names.
    private static let maxNamedApps = 10

    /// The account of a customer.
    func account(of customer: String, in scope: AccountScope) async throws -> Account {
        let name = CustomerName(scope, try Self.checked(customer: customer))
        guard let account = try await shop.storage.account(of: name) else {
            throw Refusal.unknownAccount(name.customer)
        }
        return account
    }

    /// A transaction, with its account.
    func transaction(_ text: String, in scope: AccountScope) async throws -> (row: Transaction, account: Account) {
        guard
            text.utf8.count <= 19, let number = Int64(text), number > 0,
            let (owner, id) = try await shop.transaction(shown: number, in: scope),
            let row = try await shop.storage.transaction(id),
            let account = try await shop.storage.account(owner)
        else {
            throw ControlError.notFound(
                "unknown_transaction",
                "\(scope.app) has no transaction \(text.prefix(64)) in the environment \(scope.environment.wireName)."
            )
        }
        return (row, account)
    }

    /// Checks the name of a new customer. It must not look the same as another name.
    static func checked(newCustomer customer: String) throws -> String {
        guard !customer.unicodeScalars.contains("\u{FEFF}") else {
            throw ControlError.bad(
                "bad_customer",
                "A customer's name must not contain a byte order mark, which is invisible.",
                path: "$.customer"
            )
        }
        return try checked(customer: customer)
    }

    /// Checks a customer's name: 1 to 128 bytes without control characters.
    static func checked(customer: String) throws -> String {
        let isClean = !customer.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...128).contains(customer.utf8.count), isClean, customer != ".", customer != ".." else {
            throw ControlError.bad(
                "bad_customer",
                "A customer's name must have 1 to 128 bytes without control characters.",
                path: "$.customer"
            )
        }
        return customer
    }
}

/// An error of the control API: a code, a message, and the errors in the body.
package struct ControlError: Error, Sendable {
    /// The HTTP status of the answer.
    package let status: HTTPResponse.Status
    /// The machine-readable code.
    package let code: String
    /// The message: what is wrong, and what to do.
    package var message: String
    /// Every invalid place in the body.
    package var faults: [JSONFault] = []

    /// The message.
    package init(status: HTTPResponse.Status, code: String, message: String, faults: [JSONFault] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.faults = faults
    }

    static func notFound(_ code: String, _ message: String) -> ControlError {
        ControlError(status: .notFound, code: code, message: message)
    }

    /// An invalid value. The place in the answer shows the value that the request has there.
    static func bad(_ code: String, _ message: String, path: String) -> ControlError {
        bad(code, message, [JSONFault(path: path, expected: message, found: unread)])
    }

    static func bad(_ code: String, _ message: String, _ faults: [JSONFault]) -> ControlError {
        ControlError(status: .badRequest, code: code, message: message, faults: faults)
    }

    /// What a handler that does not know the text of the request has found.
    private static let unread = "something else"

    /// The same error with the values of the request at the invalid places.
    func withValues(of exchange: ControlExchange) -> ControlError {
        var error = self
        error.faults = faults.map { fault in
            guard fault.found == Self.unread, let value = exchange.value(at: fault.path) else { return fault }
            return JSONFault(path: fault.path, expected: fault.expected, found: value.summary)
        }
        return error
    }

    static let badPage = bad("bad_page", "after must be the value of next from the previous page.", path: "after")

    /// The numbers in the `after` of a request for a page, which are separated by dashes; nil for the first page.
    ///
    /// - Throws: `ControlError` for another count of numbers.
    static func position(_ after: String?, count: Int = 1) throws(ControlError) -> [Int64]? {
        guard let after else { return nil }
        let texts = count == 1 ? [after[...]] : after.split(separator: "-", omittingEmptySubsequences: false)
        let position = texts.compactMap { text in count > 1 && text.hasPrefix("+") ? nil : Int64(text) }
        guard position.count == count, texts.count == count else { throw badPage }
        return position
    }

    static func conflict(_ code: String, _ message: String) -> ControlError {
        ControlError(status: .conflict, code: code, message: message)
    }

    static func tooLarge(_ limit: Int) -> ControlError {
        ControlError(status: .contentTooLarge, code: "too_large", message: "The body is longer than \(limit) bytes.")
    }

    /// The maximum number of errors in an answer: a thousand, and a last one that reports that there are more.
    private static let maxFaults = 1_001

    /// The body of the answer: code and message, and the errors in the request body if there are any.
    var body: [UInt8] {
        let error = ErrorInfo(
            code: code,
            message: message.cut(toBytes: 4_096),
            faults: faults.isEmpty
                ? nil
                : faults.prefix(Self.maxFaults).map { FaultInfo(path: $0.path, expected: $0.expected, found: $0.found) }
        )
        // These types encode without errors.
        return (try? JSONTree(encoding: error).compact) ?? []
    }
}
