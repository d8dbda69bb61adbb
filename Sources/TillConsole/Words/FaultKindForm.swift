import TillControl

/// A kind of fault, with the fields of its form (docs/operating/faults.md).
struct FaultKindForm: Sendable {
    let kind: FaultKind
    /// The name on the page.
    let name: String
    /// A description in one or two sentences.
    let words: String
    /// The fields that only rules of this kind have.
    let fields: [ActionForm.Field]
    let isOfNotifications: Bool
    /// Whether a rule of this kind can have a probability, a maximum number of hits and a random seed.
    let isCounted: Bool

    private init(
        _ kind: FaultKind,
        name: String? = nil,
        words: String,
        fields: [ActionForm.Field] = [],
        isOfNotifications: Bool = false,
        isCounted: Bool = true
    ) {
        self.kind = kind
        self.name = name ?? Words.sentence(kind.rawValue)
        self.words = words
        self.fields = fields
        self.isOfNotifications = isOfNotifications
        self.isCounted = isCounted
    }

    private static let delay = ActionForm.Field("milliseconds", "Delay in milliseconds", hint: "500")
    private static let spread = ActionForm.Field("spread", "Maximum random extra delay in milliseconds", hint: "1500")

    static let all = [
        FaultKindForm(
            .error,
            words: "The API answers with one of Apple’s documented errors.",
            fields: [
                .init("code", "Error code", hint: "5000001", help: "docs/api/errors.md lists the codes."),
                .init("retryAfter", "Retry-After, in seconds", hint: "60"),
            ]
        ),
        FaultKindForm(.unauthorized, words: "The API answers with HTTP status 401 and no body."),
        FaultKindForm(
            .status,
            name: "HTTP status",
            words: "The API answers with the given HTTP status and no error object.",
            fields: [.init("code", "HTTP status", hint: "503", help: "A number from 500 to 599.")]
        ),
        FaultKindForm(
            .receiptStatus,
            name: "verifyReceipt status",
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
        FaultKindForm(.latency, words: "The API answers late.", fields: [delay, spread]),
        FaultKindForm(
            .cut,
            name: "Closed connection",
            words: "The server closes the connection before it sends the response."
        ),
        FaultKindForm(
            .half,
            name: "Truncated response",
            words: "The server closes the connection in the middle of the response."
        ),
        FaultKindForm(
            .staleReads,
            words: "Lookups of transactions, histories, orders and statuses do not contain recent purchases.",
            fields: [.init("milliseconds", "Hide purchases of the last (milliseconds)", hint: "5000"), spread],
            isCounted: false
        ),
        FaultKindForm(
            .rateLimit,
            words: "The API rejects calls over the hourly limit with error 4290000 and a Retry-After header.",
            fields: [.init("perHour", "Calls per hour", help: "If empty, Apple’s limits apply.")]
        ),
        FaultKindForm(
            .drop,
            words: "Till does not send the notification, but counts it as delivered.",
            isOfNotifications: true
        ),
        FaultKindForm(
            .delay,
            words: "Till sends the notification after a delay in real time.",
            fields: [delay, spread],
            isOfNotifications: true
        ),
        FaultKindForm(
            .duplicate,
            words: "Till sends the notification twice.",
            isOfNotifications: true
        ),
        FaultKindForm(
            .reorder,
            words: "Till sends the notification after the next notification of the same subscription.",
            fields: [.init("milliseconds", "Maximum wait in milliseconds", hint: "60000"), spread],
            isOfNotifications: true
        ),
    ]

    /// The form of a kind of fault.
    static func of(_ kind: FaultKind) -> FaultKindForm {
        all.first { $0.kind == kind } ?? FaultKindForm(kind, words: "")
    }

    /// The form that adds a rule of this kind.
    func form(apps: ActionForm.Field.Kind?) -> ActionForm {
        var fields = self.fields
        fields.append(.init("environment", "Environment"))
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
        return ActionForm(AddFault(kind: kind), "Add rule", fields, name: kind.rawValue)
    }
}
