/// A kind of fault and the fields of its form (docs/operating/faults.md).
struct FaultKind: Sendable {
    /// The name in the control API.
    let word: String
    /// A description in one sentence.
    let words: String
    /// The fields for this kind, besides the common ones.
    let fields: [ActionForm.Field]
    var isOfNotifications = false
    /// Whether a rule can have a probability and a limit.
    var isCounted = true

    private static let wait = ActionForm.Field("milliseconds", "Milliseconds", hint: "500")
    private static let spread = ActionForm.Field("spread", "Random extra milliseconds, at most", hint: "1500")

    static let all = [
        FaultKind(
            word: "error",
            words: "The API answers with one of Apple’s documented errors.",
            fields: [
                .init("code", "Error code", hint: "5000001", help: "See docs/api/errors.md."),
                .init("retryAfter", "Retry-After, in seconds", hint: "60"),
            ]
        ),
        FaultKind(word: "unauthorized", words: "The API answers 401 without a body.", fields: []),
        FaultKind(
            word: "status",
            words: "The API answers with an HTTP status and without an error object.",
            fields: [.init("code", "HTTP status", hint: "503", help: "500 to 599.")]
        ),
        FaultKind(
            word: "receiptStatus",
            words: "verifyReceipt answers with the given status.",
            fields: [
                .init(
                    "code",
                    "Status",
                    hint: "21005",
                    help: "21000 to 21199. Statuses from 21100 include is_retryable."
                )
            ]
        ),
        FaultKind(word: "latency", words: "The response is delayed.", fields: [wait, spread]),
        FaultKind(word: "cut", words: "The connection closes before the response.", fields: []),
        FaultKind(word: "half", words: "The connection closes in the middle of the response.", fields: []),
        FaultKind(
            word: "staleReads",
            words: "Recent purchases are missing from transaction lookups, histories, orders and statuses.",
            fields: [.init("milliseconds", "Maximum age in milliseconds", hint: "5000"), spread],
            isCounted: false
        ),
        FaultKind(
            word: "rateLimit",
            words: "Calls over the hourly limit get error 4290000 with a Retry-After header.",
            fields: [.init("perHour", "Calls per hour", help: "Empty: Apple’s limits.")]
        ),
        FaultKind(
            word: "drop",
            words: "A notification is not sent but counts as delivered.",
            fields: [],
            isOfNotifications: true
        ),
        FaultKind(
            word: "delay",
            words: "A notification is sent later, in real time.",
            fields: [wait, spread],
            isOfNotifications: true
        ),
        FaultKind(word: "duplicate", words: "A notification is sent twice.", fields: [], isOfNotifications: true),
        FaultKind(
            word: "reorder",
            words: "A notification is sent after the next one of its subscription.",
            fields: [.init("milliseconds", "Or after this many milliseconds", hint: "60000"), spread],
            isOfNotifications: true
        ),
    ]

    /// The form that adds a rule of this kind.
    func form(apps: ActionForm.Field.Kind?) -> ActionForm {
        var fields: [ActionForm.Field] = [.init("kind", "", .hidden, value: word)] + self.fields
        fields.append(.init("realm", "Environment"))
        fields.append(.init("bundleId", "App", apps))
        if isOfNotifications {
            fields.append(
                .init("route", "Notification type", hint: "DID_RENEW", help: "With a subtype: EXPIRED/VOLUNTARY.")
            )
        } else {
            fields.append(
                .init("route", "Route", hint: "getTransactionInfo", help: "An unknown name lists all routes.")
            )
            fields.append(.init("customer", "Customer"))
        }
        if isCounted {
            fields.append(.init("percent", "Probability in percent", hint: "100"))
            fields.append(.init("limit", "Maximum number of hits"))
        }
        fields.append(.init("until", "Active until (UTC, real time)", .instant))
        if isCounted {
            fields.append(.init("seed", "Random seed", help: "The same seed hits the same calls."))
        }
        return ActionForm("addFault", "Add rule", fields, name: word)
    }
}
