import HTTPTypes
import Logging
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// Every call of an operation passes here: over HTTP, from the console, and for streamed bodies.
extension ControlAPI {
    /// Runs an operation if its caller may call it, and records the call in the audit log: every call of an operation
    /// that changes something, every refusal for a missing permission, and with `--audit-reads` every other call. The
    /// record is stored with the first change that the operation makes, and at the latest when it ends.
    ///
    /// The records of failed calls contain no names of customers that do not exist, because such a customer may have
    /// been erased.
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
        let record = AuditRecord(id: id, at: shop.wallClock(), route, by: caller, on: parameters)
        do {
            try caller.check(route, of: parameters["bundleId"])
        } catch {
            let refused = await record.refused(with: error, in: shop)
            await shop.write(refusedCalls.count(refused))
            throw error
        }
        let audit = PendingAudit(record)
        let isRecorded = route.method != .get || shop.settings.auditReads
        do {
            let answer = try await PendingAudit.$current.withValue(isRecorded ? audit : nil) {
                try await Principal.$current.withValue(caller, operation: operation)
            }
            if isRecorded, let record = audit.end(status: route.successStatus, code: nil) { await shop.write(record) }
            return answer
        } catch {
            var logger = shop.logger
            logger[metadataKey: "request"] = "\(id)"
            let error = ControlError(of: error, logger: logger)
            if isRecorded || error.status == .forbidden,
                let record = audit.end(status: error.status.code, code: error.code)
            {
                await shop.write(await record.refused(with: error, in: shop))
            }
            throw error
        }
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
        let others = route.pathParameters.map(\.name).filter {
            !Self.secretParameters.contains($0) && !Self.named.contains($0)
        }
        self.init(
            id: id,
            at: at,
            caller: caller.name,
            address: caller.address,
            operation: route.id,
            app: Self.identifier(parameters["bundleId"]),
            environment: Self.environment(parameters["environment"]),
            customer: Self.customer(parameters["customer"]),
            object: Self.customer(parameters["member"]) ?? Self.joined(others.map { Self.identifier(parameters[$0]) }),
            status: route.successStatus
        )
        forgetErased()
    }

    /// Adds the identifiers in the query and in the body.
    mutating func add(_ exchange: ControlExchange) {
        func text(_ name: String) -> String? {
            (exchange.value(at: name) ?? exchange.value(at: "$.\(name)"))?.text
        }
        app = app ?? Self.identifier(text("bundleId"))
        environment = environment ?? Self.environment(text("environment"))
        customer = customer ?? Self.customer(text("customer"))
        object = object ?? Self.identifiers.lazy.compactMap { Self.identifier(text($0)) }.first
        forgetErased()
    }

    /// Removes the customer from the record of an erasure, also of one that is repeated or fails.
    private mutating func forgetErased() {
        if operation == EraseCustomer.operationID { customer = nil }
    }

    /// The record of a failed call, without the names of customers that do not exist.
    fileprivate func refused(with error: ControlError, in shop: Shop) async -> AuditRecord {
        var record = self
        record.status = error.status.code
        record.code = error.code
        if let customer, await !exists(customer, in: shop) { record.customer = nil }
        if operation == JoinFamily.operationID, let object, await !exists(object, in: shop) { record.object = nil }
        return record
    }

    private func exists(_ customer: String, in shop: Shop) async -> Bool {
        guard let app, let environment = environment.flatMap({ StoreEnvironment(rawValue: $0) }) else { return false }
        let scope = AccountScope(environment: environment, app: app)
        return (try? await shop.storage.account(of: CustomerName(scope, customer))) != nil
    }

    /// The path parameters that have columns of their own, and the customer in `object`.
    private static let named: Set = ["bundleId", "environment", "customer", "member"]
    /// The path parameters that authorize something.
    static let secretParameters: Set = ["deliveryToken"]
    /// The properties of bodies that identify the object of an operation.
    private static let identifiers = ["name", "keyId", "issuerId", "productId", "offerId", "faultId", "transactionId"]

    // MARK: Valid names. A record never contains a text that no object can have as its name.

    /// A text if it can be an identifier: at most 155 letters, digits, dots, dashes and underscores.
    private static func identifier(_ text: String?) -> String? {
        text.flatMap { $0.isPlain(1...155, and: "-._") ? $0 : nil }
    }

    /// Identifiers with slashes in between; nil if one of them is not valid.
    private static func joined(_ identifiers: [String?]) -> String? {
        let valid = identifiers.compactMap(\.self)
        return valid.isEmpty || valid.count < identifiers.count ? nil : valid.joined(separator: "/")
    }

    private static func environment(_ text: String?) -> String? {
        text.flatMap { StoreEnvironment(rawValue: $0)?.rawValue }
    }

    private static func customer(_ text: String?) -> String? {
        text.flatMap { try? ControlExchange.checked(customer: $0) }
    }
}
