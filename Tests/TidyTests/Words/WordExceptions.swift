/// Names that may contain a word from the list.
enum WordExceptions {
    /// Each allowed name, with the reason.
    static let names = [
        "leapDays": "the calendar's word",
        "Leap days exist, also in the year 0 and before": "the calendar's word",
        "Wrong lengths, stray end markers and foreign tags are rejected": "an end marker without its beginning",
        "tl-strike": "a line through a mark",
        "trouble": "a key of subscriptions that version 0.1.0 stored",
    ]
}
