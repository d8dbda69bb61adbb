/// Where a run of periods began, in Pacific time: renewals return to this day and time after a short month or a
/// daylight saving change has moved one of them.
package struct PeriodAnchor: Hashable, Sendable {
    /// The day of the month, 1 to 31.
    package var day: Int
    /// The time of day, in milliseconds since local midnight.
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

    /// The anchor of a period that begins at an instant within the run. Another time of day starts a new run.
    package func resumed(at start: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: day, time: Period.anchorTime(of: start, keeping: time))
    }

    /// The anchor of what follows a period: months keep the day of their run, days and weeks use the day on which they
    /// end (a free week from the first, then a month from the eighth). All keep the time of day.
    ///
    /// - Parameters:
    ///   - period: the period that belongs to the run of this anchor.
    ///   - end: when that period ends.
    package func following(_ period: Period, until end: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: period.months == nil ? Period.anchorDay(of: end) : day, time: time)
    }
}
