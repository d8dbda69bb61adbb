import TillCore

/// A record of the audit log: who called which operation of the control API, on what, and with which result. It never
/// contains a body, a token or a key.
package struct AuditRecord: Equatable, Sendable {
    /// The request id, which is unique.
    package var id: String
    /// When the operation began, in real time.
    package var at: Timestamp
    /// The name of the caller's token, or `administrator`, `loopback` or `console`.
    package var caller: String
    /// The caller's network address without the port; nil if unknown.
    package var address: String?
    /// The id of the operation.
    package var operation: String
    /// The bundle id of the app; nil for an operation on the whole server.
    package var app: String?
    /// The environment in the path; nil without one.
    package var environment: String?
    /// The customer's name in the path or in the body; nil without one, and after the customer was erased.
    package var customer: String?
    /// The name or identifier of what the operation concerns, such as a transaction id or the name of a token.
    package var object: String?
    /// The HTTP status of the answer.
    package var status: Int
    /// The error code; nil if the operation succeeded.
    package var code: String?
    /// The number of calls that the record stands for: more than 1 only for calls that were refused (403).
    package var count: Int

    /// A record of an operation.
    package init(
        id: String,
        at: Timestamp,
        caller: String,
        address: String? = nil,
        operation: String,
        app: String? = nil,
        environment: String? = nil,
        customer: String? = nil,
        object: String? = nil,
        status: Int,
        code: String? = nil,
        count: Int = 1
    ) {
        self.id = id
        self.at = at
        self.caller = caller
        self.address = address
        self.operation = operation
        self.app = app
        self.environment = environment
        self.customer = customer
        self.object = object
        self.status = status
        self.code = code
        self.count = count
    }
}

/// The position of a record in the audit log, which is ordered by date.
package struct AuditPosition: Equatable, Sendable {
    /// The date of the record.
    package let at: Timestamp
    /// The number of the record, which orders records of the same date.
    package let number: Int64

    /// The position of a record.
    package init(at: Timestamp, number: Int64) {
        self.at = at
        self.number = number
    }
}

/// A record with its number in the database.
package struct NumberedAuditRecord: Equatable, Sendable {
    /// The number.
    package let number: Int64
    /// The record.
    package let record: AuditRecord

    /// A record with its number.
    package init(number: Int64, record: AuditRecord) {
        self.number = number
        self.record = record
    }

    /// The position, after which the next page begins.
    package var position: AuditPosition { AuditPosition(at: record.at, number: number) }
}

/// A query for records of the audit log, newest first.
package struct AuditQuery: Sendable {
    /// Only records of this caller.
    package var caller: String?
    /// Only records of this operation.
    package var operation: String?
    /// Only records about this app.
    package var app: String?
    /// Whether to find only operations that failed.
    package var onlyFailed = false
    /// Only records at or after this date.
    package var from: Timestamp?
    /// Only records before this date.
    package var to: Timestamp?
    /// The last record of the previous page; nil for the first page.
    package var before: AuditPosition?
    /// The maximum number of records.
    package var limit: Int

    /// A query for all records.
    package init(limit: Int) { self.limit = limit }

    /// The position at which the page begins; the page does not contain it.
    package var start: AuditPosition {
        before ?? AuditPosition(at: to ?? Timestamp(milliseconds: .max), number: 0)
    }
}
