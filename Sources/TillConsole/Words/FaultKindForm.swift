import TillControl
import TillServer
import TillShop

/// A kind of fault, with the fields of its form (docs/operating/faults.md).
struct FaultKindForm: Sendable {
    let kind: FaultKind
    /// A description in one or two sentences.
    let words: String
    /// The name on the page, if it does not follow from the kind.
    private let ownName: String?
    /// The fields that only rules of this kind have.
    private let ownFields: [FormField]

    private init(_ kind: FaultKind, _ words: String, name: String? = nil, _ fields: [FormField] = []) {
        (self.kind, self.words, ownName, ownFields) = (kind, words, name, fields)
    }

    /// The name on the page.
    var name: String { ownName ?? Words.sentence(kind.rawValue) }

    var isOfNotifications: Bool { kind.isOfNotifications }

    static let all = ofCalls + ofNotifications

    private static let delay = FormField("milliseconds", "Delay in milliseconds", hint: "500")
    private static let spread = FormField("spread", "Maximum random extra delay in milliseconds", hint: "1500")

    private static let ofCalls: [FaultKindForm] = {
        let errors = FaultValues.errors.map { (String($0.code), "\($0.code) – \($0.message)") }
        let code = FormField("code", "Error code", .choice(errors), value: "5000001")
        let retry = FormField("retryAfter", "Retry-After, in seconds", hint: "60")
        let statuses = FaultValues.usualStatuses.map { (String($0.code), $0.name) }
        let anyStatus = "A number from \(range(FaultValues.statuses))."
        let status = FormField("code", "HTTP status", .suggestions(statuses), hint: "503", help: anyStatus)
        let documented = FaultValues.documentedReceiptStatuses.map { (String($0.code), Words.plain($0.meaning)) }
        let isRetryable =
            "A number from \(range(FaultValues.receiptStatuses)). From 21100, the answer contains is_retryable."
        let receiptStatus = FormField("code", "Status", .suggestions(documented), hint: "21005", help: isRetryable)
        let age = FormField("milliseconds", "Hide purchases of the last (milliseconds)", hint: "5000")
        let perHour = FormField("perHour", "Calls per hour", help: "If empty, Apple’s limits apply.")
        let closed = "The server closes the connection before it sends the response."
        let half = "The server closes the connection in the middle of the response."
        let stale = "Lookups of transactions, histories, orders and statuses do not contain recent purchases."
        let limit = "The API rejects calls over the hourly limit with error 4290000 and a Retry-After header."
        let wordsOfStatus = "The API answers with the given HTTP status and no error object."
        let wordsOfReceipt = "verifyReceipt answers with the given status."
        return [
            .init(.error, "The API answers with one of Apple’s documented errors.", [code, retry]),
            .init(.unauthorized, "The API answers with HTTP status 401 and no body."),
            .init(.status, wordsOfStatus, name: "HTTP status", [status]),
            .init(.receiptStatus, wordsOfReceipt, name: "verifyReceipt status", [receiptStatus]),
            .init(.latency, "The API answers late.", [delay, spread]),
            .init(.cut, closed, name: "Closed connection"), .init(.half, half, name: "Truncated response"),
            .init(.staleReads, stale, [age, spread]), .init(.rateLimit, limit, [perHour]),
        ]
    }()

    private static let ofNotifications: [FaultKindForm] = {
        let wait = FormField("milliseconds", "Maximum wait in milliseconds", hint: "60000")
        let reorder = "Till sends the notification after the next notification of the same subscription."
        let drop = "Till does not send the notification, but counts it as delivered."
        let delayed = "Till sends the notification after a delay in real time."
        return [
            .init(.drop, drop), .init(.delay, delayed, [delay, spread]),
            .init(.duplicate, "Till sends the notification twice."), .init(.reorder, reorder, [wait, spread]),
        ]
    }()

    private static func range(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound) to \(range.upperBound)" }

    /// The form of a kind of fault.
    static func of(_ kind: FaultKind) -> FaultKindForm { all.first { $0.kind == kind } ?? FaultKindForm(kind, "") }

    private static func orAll(_ values: [String]) -> [FormField.Option] { [("", "All")] + values.map { ($0, $0) } }

    /// The fields of the form that adds a rule of this kind.
    func fields(apps: FormField.Kind?) -> [FormField] {
        // Only rules of these kinds can have a probability, a maximum number of hits and a random seed.
        let isCounted = kind != .staleReads
        var fields = ownFields + [.init("environment", "Environment"), .init("bundleId", "App", apps)]
        if isOfNotifications {
            fields.append(.init("route", "Notification type", .choice(Self.orAll(FaultValues.notificationTypes))))
            fields.append(.init("endpoint", "Endpoint", hint: "primary"))
        } else {
            fields.append(.init("route", "Route", .choice(Self.orAll(FaultValues.routes(of: kind)))))
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
        return fields
    }
}
