/// An undecided refund request.
public struct RefundRequestInfo: ControlObject {
    /// The customer who requested the refund.
    public var customer: String
    /// The transaction id.
    public var transactionId: String
    /// The customer's reason for the request.
    public var reason: ConsumptionRequestReason
    /// The date of the request, in milliseconds since 1970.
    public var requestedDate: Timestamp
    /// How the request is decided: the refund rule of the environment.
    public var decidedBy: RefundRule
    /// When the rule decides, in milliseconds since 1970; absent if the operator decides.
    public var decisionDate: Timestamp?
    /// The preference that the developer sent.
    public var refundPreference: RefundPreference?
    /// The consumed percentage that the developer sent, in milliunits.
    public var consumptionPercentage: Int?

    public init(
        customer: String,
        transactionId: String,
        reason: ConsumptionRequestReason,
        requestedDate: Timestamp,
        decidedBy: RefundRule,
        decisionDate: Timestamp? = nil,
        refundPreference: RefundPreference? = nil,
        consumptionPercentage: Int? = nil
    ) {
        self.customer = customer
        self.transactionId = transactionId
        self.reason = reason
        self.requestedDate = requestedDate
        self.decidedBy = decidedBy
        self.decisionDate = decisionDate
        self.refundPreference = refundPreference
        self.consumptionPercentage = consumptionPercentage
    }
}

/// A page of refund requests. More pages may follow an empty page.
public struct RefundRequestList: ControlObject {
    /// Undecided refund requests, oldest first.
    public var refundRequests: [RefundRequestInfo]
    /// Customers on the page whose stored accounts cannot be read, each with the reason; absent if there are none.
    public var damaged: [String]?
    /// The value of `after` for the next page; absent on the last page.
    public var next: String?

    public init(refundRequests: [RefundRequestInfo], damaged: [String]? = nil, next: String? = nil) {
        self.refundRequests = refundRequests
        self.damaged = damaged
        self.next = next
    }
}
