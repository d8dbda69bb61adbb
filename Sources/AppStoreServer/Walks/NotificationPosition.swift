import Foundation

/// A position in the notification history.
struct NotificationPosition: Codable {
    /// Where the first run began.
    let first: Timestamp
    /// Everything before was handed over.
    private(set) var until: Timestamp
    /// The end of the window that is being walked; nil between two windows.
    var end: Timestamp?
    /// The next page of the window.
    var token: String?
    /// The notifications of this window so far.
    private var seen: [String] = []
    /// The notifications of the previous window. This window repeats the last ones.
    private var before: [String] = []
    /// The notifications of the last window without an end: those dated after the server's time come again.
    private var ahead: [String]?
    /// The time of the server when it answered the first page of this window; nil if it does not say. What it records
    /// later may be missing on the pages.
    private var asked: Timestamp?
    /// The latest date of a notification of this window.
    private var newest: Timestamp?

    init(until: Timestamp) { (first, self.until) = (until, until) }

    /// Where the window begins. The App Store refuses dates before its history, where the first run may begin.
    func start(overlap: Duration) -> Timestamp { max(until - overlap, first) }

    /// Notes a page of the window.
    ///
    /// - Returns: its notifications that were not handed over before.
    mutating func unseen(_ page: Answer<NotificationHistoryResponse>) -> [NotificationHistoryResponseItem] {
        if token == nil { asked = page.serverTime }
        token = page.hasMore ? page.paginationToken : nil
        var known = Set(seen)
        let older = Set(before).union(ahead ?? [])
        return page.notificationHistory.filter { item in
            // A notification that cannot be read is handed over too.
            let payload = try? item.signedPayload.unverifiedPayload()
            let id = payload?.notificationUUID ?? item.signedPayload.text
            guard known.insert(id).inserted else { return false }
            seen.append(id)
            if let date = payload?.signedDate { newest = max(newest ?? date, date) }
            return !older.contains(id)
        }
    }

    /// Notes that the window was walked to its end.
    ///
    /// A window may end later than the server's time. Its position must not: what the server records from now on would
    /// be skipped.
    ///
    /// - Parameters:
    ///   - end: the end of the window.
    ///   - target: the end of the run; nil for none.
    mutating func finishWindow(at end: Timestamp, of target: Timestamp?) {
        var reached = asked ?? newest ?? until
        // A run with an end of its own follows a clock that is ahead of the server's time. Without one, there may be
        // several clocks, and slower ones must not be skipped.
        if target != nil, let newest { reached = max(reached, newest) }
        reached = min(reached, end, target ?? end)
        before = end <= until ? before + Set(seen).subtracting(before) : seen
        if end == NotificationHistoryRequest.noEnd { ahead = seen }
        until = max(until, reached)
        (self.end, token, seen) = (nil, nil, [])
        (asked, newest) = (nil, nil)
    }
}

/// The end of a run is so much earlier than the end of the last run that nothing can be asked: a clock was set back, or
/// was ahead during the last run.
public struct EndBeforePosition: Error, Equatable, Sendable, CustomStringConvertible {
    /// The end of this run.
    public let until: Timestamp
    /// Where this run would begin: what was dated before when the earlier runs asked, was handed over.
    public let position: Timestamp

    /// What is wrong, and what to do.
    public var description: String {
        "until is \(Self.text(until)), but earlier runs have walked the time before \(Self.text(position)). "
            + "Check the clock of this host, leave out until, or begin with a new position."
    }

    private static func text(_ time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000).formatted(.iso8601)
    }
}
