/// Where a run of periods began in Pacific time: renewals return to this day of the month and this time of day when a
/// short month or daylight saving time has moved one of them.
package struct PeriodAnchor: Hashable, Sendable {
    /// The day of the month, 1 to 31.
    package var day: Int
    /// The time of day, in milliseconds since midnight as clocks show it.
    package var time: Int64

    /// An anchor with known parts.
    package init(day: Int, time: Int64) {
        self.day = day
        self.time = time
    }

    /// The anchor of a run that begins at an instant.
    package init(of start: Timestamp) {
        self.init(day: Period.anchorDay(of: start), time: Period.timeOfDay(of: start))
    }

    /// The anchor of a period that begins at an instant within the run. Another time of day begins a run of its own.
    package func resumed(at start: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: day, time: Period.anchorTime(of: start, keeping: time))
    }

    /// The anchor of what follows a period: months keep the day of their run, days and weeks take the day on which they
    /// end (a free week from the first, then a month from the eighth). All keep the time of day.
    ///
    /// - Parameters:
    ///   - period: the period that belongs to the run of this anchor.
    ///   - end: when that period ends.
    package func following(_ period: Period, until end: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: period.months == nil ? Period.anchorDay(of: end) : day, time: time)
    }
}
