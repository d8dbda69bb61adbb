import Foundation

extension Till {
    /// The clock of an app. It is frozen: time passes only by `advance`.
    public struct Clock: Sendable {
        let app: App

        /// The time that the clock shows.
        public var now: Timestamp {
            get async throws { try await app.control.send(GetClock(app: app.scope, clock: app.clockName)).now }
        }

        /// Advances the clock by a duration, and waits until what this causes is delivered.
        ///
        /// - Parameter duration: such as `1w`, `1mo`, `36h` or `P1M`.
        @discardableResult
        public func advance(_ duration: String) async throws -> AdvanceReportInfo {
            try await advance(AdvanceClock(app: app.scope, by: duration))
        }

        /// Advances the clock to a time, and waits until what this causes is delivered.
        @discardableResult
        public func advance(to time: Timestamp) async throws -> AdvanceReportInfo {
            try await advance(AdvanceClock(app: app.scope, to: time))
        }

        /// Advances the clock to the next scheduled event, such as a renewal, and waits until what this causes is
        /// delivered.
        @discardableResult
        public func advanceToNextEvent() async throws -> AdvanceReportInfo {
            try await advance(AdvanceClock(app: app.scope, toNextEvent: true))
        }

        private func advance(_ request: AdvanceClock) async throws -> AdvanceReportInfo {
            var request = request
            request.clock = app.clockName
            // Years with many customers take minutes.
            return try await app.control.send(request.settling(Till.settlingSeconds), timeout: .seconds(600))
        }
    }

    /// How many seconds an operation waits at most until its notifications are delivered.
    static let settlingSeconds = 60
}

extension Timestamp {
    /// The same time as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// A time in ISO 8601; a date without a time is its midnight in UTC.
    init(testTime text: String) throws(TillTestingError) {
        let whole = text.contains("T") ? text : "\(text)T00:00:00Z"
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        guard let date = styles.lazy.compactMap({ try? $0.parse(whole) }).first else {
            throw TillTestingError("The start \(text) is not a time such as 2025-01-31T12:00:00Z.")
        }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}
