import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Every call of an operation passes here: over HTTP, from the console, and for streamed bodies.
extension ControlAPI {
    /// Runs an operation if its caller may call it, and records the call in the audit log: every call of an operation
    /// that changes something, every refusal for a missing permission, and with `--audit-reads` every other call. The
    /// record is stored with the first change that the operation makes, and at the latest when it ends.
    ///
    /// - Parameters:
    ///   - id: the request id.
    ///   - parameters: the path parameters.
    /// - Throws: `ControlError`.
    func run<Answer: Sendable>(
        _ route: ControlRoute,
        by caller: Principal,
        id: String = RequestID.make(),
        on parameters: [String: String],
        _ operation: () async throws -> Answer
    ) async throws(ControlError) -> Answer {
        let audit = PendingAudit(AuditRecord(id: id, at: shop.wallClock(), route, by: caller, on: parameters))
        let isRecorded = route.method != .get || shop.settings.auditReads
        do {
            try caller.check(route.scope, for: route.id, of: parameters["bundleId"])
            guard isRecorded else { return try await operation() }
            let answer = try await PendingAudit.$current.withValue(audit) {
                try await Principal.$current.withValue(caller, operation: operation)
            }
            await end(audit, status: route.successStatus, code: nil)
            return answer
        } catch {
            let error = ControlError(of: error, logger: shop.logger)
            if isRecorded || error.status == .forbidden {
                await end(audit, status: error.status.code, code: error.code)
            }
            throw error
        }
    }

    private func end(_ audit: PendingAudit, status: Int, code: String?) async {
        if let record = audit.end(status: status, code: code) { await shop.write(record) }
    }
}

extension ControlRoute {
    /// The HTTP status of the answer if the operation succeeds.
    fileprivate var successStatus: Int { response == nil ? 204 : status.code }
}

extension AuditRecord {
    /// The record of an operation that succeeds.
    fileprivate init(
        id: String,
        at: Timestamp,
        _ route: ControlRoute,
        by caller: Principal,
        on parameters: [String: String]
    ) {
        let others = route.pathParameters.map(\.name).filter { !Self.secrets.contains($0) && !Self.named.contains($0) }
        self.init(
            id: id,
            at: at,
            caller: caller.name,
            address: caller.address,
            operation: route.id,
            app: Self.clean(parameters["bundleId"]),
            environment: Self.clean(parameters["environment"]),
            customer: Self.clean(parameters["customer"]),
            object: Self.clean(others.compactMap { parameters[$0] }.joined(separator: "/")),
            status: route.successStatus
        )
    }

    /// Adds the identifiers in the query and in the body.
    mutating func add(_ exchange: ControlExchange) {
        func text(_ name: String) -> String? {
            Self.clean((exchange.value(at: name) ?? exchange.value(at: "$.\(name)"))?.text)
        }
        app = app ?? text("bundleId")
        customer = customer ?? text("customer")
        object = object ?? Self.identifiers.lazy.compactMap { text($0) }.first
    }

    /// The path parameters that have columns of their own.
    private static let named: Set = ["bundleId", "environment", "customer"]
    /// The path parameters that authorize something.
    private static let secrets: Set = ["deliveryToken"]
    /// The properties of bodies that identify the object of an operation.
    private static let identifiers = ["name", "keyId", "issuerId", "productId", "offerId"]

    /// A text as the database stores it: without U+0000, and not too long; nil for an empty text.
    private static func clean(_ text: String?) -> String? {
        let short = text?.replacing("\0", with: "").cut(toBytes: 256) ?? ""
        return short.isEmpty ? nil : short
    }
}
