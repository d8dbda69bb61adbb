/// What can go wrong on demand, as the form for it asks (docs/operating/faults.md).
struct FaultKind: Sendable {
    /// The verb's word.
    let word: String
    /// One sentence.
    let words: String
    /// The fields that count for it, beside those that all have.
    let fields: [ActForm.Field]
    var isOfNotifications = false
    /// Whether it strikes by chance, and only so often.
    var isCounted = true

    private static let wait = ActForm.Field("milliseconds", "Milliseconds", hint: "500")
    private static let spread = ActForm.Field("spread", "And up to so many more, by chance", hint: "1500")

    static let all = [
        FaultKind(
            word: "error",
            words: "A call is answered with a documented error of Apple’s, as it stands on the wire.",
            fields: [
                .init("code", "Error code", hint: "5000001", help: "docs/api/errors.md lists them."),
                .init("retryAfter", "Retry-After, in seconds", hint: "60"),
            ]
        ),
        FaultKind(word: "unauthorized", words: "A call is answered 401, with nothing to go by.", fields: []),
        FaultKind(
            word: "status",
            words: "A call is answered with a bare status, without an error object.",
            fields: [.init("code", "HTTP status", hint: "503", help: "500 to 599.")]
        ),
        FaultKind(
            word: "receiptStatus",
            words: "verifyReceipt answers with a status of its own.",
            fields: [
                .init("code", "Status", hint: "21005", help: "21000 to 21199; from 21100 on with is_retryable.")
            ]
        ),
        FaultKind(word: "latency", words: "The answer comes later.", fields: [wait, spread]),
        FaultKind(word: "cut", words: "The connection ends before an answer.", fields: []),
        FaultKind(word: "half", words: "The connection ends in the middle of the answer.", fields: []),
        FaultKind(
            word: "staleReads",
            words: "What was bought a moment ago is not found yet: by its id, in histories, orders and statuses.",
            fields: [.init("milliseconds", "Younger than so many milliseconds", hint: "5000"), spread],
            isCounted: false
        ),
        FaultKind(
            word: "rateLimit",
            words: "A call past a number in an hour is answered 4290000, with a Retry-After.",
            fields: [.init("perHour", "Calls an hour", help: "Apple’s own limits when it is left empty.")]
        ),
        FaultKind(
            word: "drop",
            words: "A notification is lost on the way, and counts as sent.",
            fields: [],
            isOfNotifications: true
        ),
        FaultKind(
            word: "delay",
            words: "A notification is sent later, by the wall.",
            fields: [wait, spread],
            isOfNotifications: true
        ),
        FaultKind(word: "duplicate", words: "A notification is posted twice.", fields: [], isOfNotifications: true),
        FaultKind(
            word: "reorder",
            words: "A notification is overtaken by the next one of its subscription.",
            fields: [.init("milliseconds", "Or goes so many milliseconds later", hint: "60000"), spread],
            isOfNotifications: true
        ),
    ]

    /// The form that adds a rule of this kind.
    func form(apps: ActForm.Field.Kind?) -> ActForm {
        var fields: [ActForm.Field] = [.init("kind", "", .hidden, value: word)] + self.fields
        fields.append(.init("realm", "Only in the environment"))
        fields.append(.init("bundleId", "Only of the app", apps))
        if isOfNotifications {
            fields.append(.init("route", "Only of the type", hint: "DID_RENEW", help: "Or EXPIRED/VOLUNTARY."))
        } else {
            fields.append(
                .init("route", "Only on the route", hint: "getTransactionInfo", help: "A wrong name shows them all.")
            )
            fields.append(.init("customer", "Only of the customer"))
        }
        if isCounted {
            fields.append(.init("percent", "Percent of the calls", hint: "100"))
            fields.append(.init("limit", "At most so often"))
        }
        fields.append(.init("until", "Not after (UTC, by the wall)", .instant))
        if isCounted {
            fields.append(.init("seed", "Seed of the chance", help: "The same one strikes the same calls."))
        }
        return ActForm("addFault", "Let it happen", fields, name: word)
    }
}
