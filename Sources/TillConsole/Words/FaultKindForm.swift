/// A kind of fault, with the fields of its form (docs/operating/faults.md).
struct FaultKindForm: Sendable {
    /// The name in the control API.
    let word: String
    /// The name on the page; nil if it follows from `word`.
    var title: String?
    /// A description in one or two sentences.
    let words: String
    /// The fields that only rules of this kind have.
    let fields: [ActionForm.Field]
    var isOfNotifications = false
    /// Whether a rule of this kind can have a probability, a maximum number of hits and a random seed.
    var isCounted = true

    private static let delay = ActionForm.Field("milliseconds", "Delay in milliseconds", hint: "500")
    private static let spread = ActionForm.Field("spread", "Maximum random extra delay in milliseconds", hint: "1500")

    static let all = [
        FaultKindForm(
            word: "error",
            words: "The API answers with one of Apple’s documented errors.",
            fields: [
                .init("code", "Error code", hint: "5000001", help: "docs/api/errors.md lists the codes."),
                .init("retryAfter", "Retry-After, in seconds", hint: "60"),
            ]
        ),
        FaultKindForm(word: "unauthorized", words: "The API answers with HTTP status 401 and no body.", fields: []),
        FaultKindForm(
            word: "status",
            title: "HTTP status",
            words: "The API answers with the given HTTP status and no error object.",
            fields: [.init("code", "HTTP status", hint: "503", help: "A number from 500 to 599.")]
        ),
        FaultKindForm(
            word: "receiptStatus",
            title: "verifyReceipt status",
            words: "verifyReceipt answers with the given status.",
            fields: [
                .init(
                    "code",
                    "Status",
                    hint: "21005",
                    help: "A number from 21000 to 21199. From 21100, the answer contains is_retryable."
                )
            ]
        ),
        FaultKindForm(word: "latency", words: "The API answers late.", fields: [delay, spread]),
        FaultKindForm(
            word: "cut",
            title: "Closed connection",
            words: "The server closes the connection before it sends the response.",
            fields: []
        ),
        FaultKindForm(
            word: "half",
            title: "Truncated response",
            words: "The server closes the connection in the middle of the response.",
            fields: []
        ),
        FaultKindForm(
            word: "staleReads",
            words: "Lookups of transactions, histories, orders and statuses do not contain recent purchases.",
            fields: [.init("milliseconds", "Hide purchases of the last (milliseconds)", hint: "5000"), spread],
            isCounted: false
        ),
        FaultKindForm(
            word: "rateLimit",
            words: "The API rejects calls over the hourly limit with error 4290000 and a Retry-After header.",
            fields: [.init("perHour", "Calls per hour", help: "If empty, Apple’s limits apply.")]
        ),
        FaultKindForm(
            word: "drop",
            words: "Till does not send the notification, but counts it as delivered.",
            fields: [],
            isOfNotifications: true
        ),
        FaultKindForm(
            word: "delay",
            words: "Till sends the notification after a delay in real time.",
            fields: [delay, spread],
            isOfNotifications: true
        ),
        FaultKindForm(
            word: "duplicate",
            words: "Till sends the notification twice.",
            fields: [],
            isOfNotifications: true
        ),
        FaultKindForm(
            word: "reorder",
            words: "Till sends the notification after the next notification of the same subscription.",
            fields: [.init("milliseconds", "Maximum wait in milliseconds", hint: "60000"), spread],
            isOfNotifications: true
        ),
    ]

    /// The name of this kind on the page.
    var name: String { title ?? Words.sentence(word) }

    /// The kind with this name in the control API; nil if there is none.
    static func named(_ word: String?) -> FaultKindForm? { all.first { $0.word == word } }

    /// The form that adds a rule of this kind.
    func form(apps: ActionForm.Field.Kind?) -> ActionForm {
        var fields: [ActionForm.Field] = [.init("kind", "", .hidden, value: word)] + self.fields
        fields.append(.init("realm", "Environment"))
        fields.append(.init("bundleId", "App", apps))
        if isOfNotifications {
            fields.append(
                .init(
                    "route",
                    "Notification type",
                    hint: "DID_RENEW",
                    help: "A subtype follows a slash: EXPIRED/VOLUNTARY."
                )
            )
        } else {
            fields.append(
                .init(
                    "route",
                    "Route",
                    hint: "getTransactionInfo",
                    help: "If you enter an unknown name, the error message lists all routes."
                )
            )
            fields.append(.init("customer", "Customer"))
        }
        if isCounted {
            fields.append(.init("percent", "Probability in percent", hint: "100"))
            fields.append(.init("limit", "Maximum number of hits"))
        }
        fields.append(.init("until", "Active until (UTC, real time)", .instant))
        if isCounted {
            fields.append(.init("seed", "Random seed", help: "With the same seed, the rule affects the same calls."))
        }
        return ActionForm("addFault", "Add rule", fields, name: word)
    }
}
