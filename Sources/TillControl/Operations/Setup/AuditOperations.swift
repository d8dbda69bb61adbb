/// Lists the audit log, newest first: who called which operation, on what, and with which result.
public struct ListAuditRecords: ControlRequest {
    public typealias Answer = AuditRecordList
    public static let operation = ControlOperation(.get, "/v1/audit", tag: .server, scope: .administer)
    public static let limits = [
        ControlLimit.range(CodingKeys.limit, 1...500),
        .clockTime(CodingKeys.from), .clockTime(CodingKeys.to),
    ]

    /// Only calls with this token; administrator, loopback and console stand for calls without a named token.
    public var caller: String?
    /// Only calls of this operation.
    public var operationId: String?
    /// Only calls that concern this app.
    public var bundleId: String?
    /// Whether to list only calls that failed.
    public var failed: Bool?
    /// Only calls at or after this time, in milliseconds since 1970.
    public var from: Timestamp?
    /// Only calls before this time, in milliseconds since 1970.
    public var to: Timestamp?
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 50 by default.
    public var limit: Int?

    public init(
        caller: String? = nil,
        operationId: String? = nil,
        bundleId: String? = nil,
        failed: Bool? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        after: String? = nil,
        limit: Int? = nil
    ) {
        self.caller = caller
        self.operationId = operationId
        self.bundleId = bundleId
        self.failed = failed
        self.from = from
        self.to = to
        self.after = after
        self.limit = limit
    }
}

/// A page of the audit log.
public struct AuditRecordList: ControlObject {
    /// The records, newest first.
    public var records: [AuditRecordInfo]
    /// The value of `after` for the next page; absent on the last page.
    public var next: String?

    public init(records: [AuditRecordInfo], next: String? = nil) {
        self.records = records
        self.next = next
    }
}

/// A call of an operation. It contains no bodies and no secrets.
public struct AuditRecordInfo: ControlObject, Hashable {
    /// The request id, which the answer has in `X-Request-ID`.
    public var requestId: String
    /// When the operation began, in milliseconds of real time since 1970.
    public var date: Timestamp
    /// The name of the caller's token; administrator, loopback or console without a named token.
    public var caller: String
    /// The caller's network address; absent if unknown.
    public var address: String?
    /// The operation.
    public var operationId: String
    /// The app that the operation concerns; absent for an operation on the whole server.
    public var bundleId: String?
    /// The environment that the operation concerns.
    public var environment: String?
    /// The customer that the operation concerns; absent after the customer was erased.
    public var customer: String?
    /// The name or identifier of another object, such as a transaction id or the name of a token.
    public var object: String?
    /// The HTTP status of the answer.
    public var status: Int
    /// The result: ok, or the code of the error.
    public var result: String
    /// The number of calls that the token did not permit and that this record stands for; absent for one call.
    public var count: Int?

    public init(
        requestId: String,
        date: Timestamp,
        caller: String,
        address: String? = nil,
        operationId: String,
        bundleId: String? = nil,
        environment: String? = nil,
        customer: String? = nil,
        object: String? = nil,
        status: Int,
        result: String,
        count: Int? = nil
    ) {
        self.requestId = requestId
        self.date = date
        self.caller = caller
        self.address = address
        self.operationId = operationId
        self.bundleId = bundleId
        self.environment = environment
        self.customer = customer
        self.object = object
        self.status = status
        self.result = result
        self.count = count
    }
}
