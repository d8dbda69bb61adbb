/// The day and time at which a run of periods began, in Pacific time. A short month or a daylight saving change can
/// move one renewal; the renewal after it returns to this day and time.
package struct PeriodAnchor: Hashable, Sendable {
    /// The day of the month, 1 to 31.
    package var day: Int
    /// The time of day, in milliseconds since local midnight.
    package var time: Int64

    /// An anchor with this day and time.
    package init(day: Int, time: Int64) {
        self.day = day
        self.time = time
    }

    /// The anchor of a run of periods that begins at `start`.
    package init(of start: Timestamp) {
        self.init(day: Period.anchorDay(of: start), time: Period.timeOfDay(of: start))
    }

    /// The anchor of a period in the run that begins at `start`. A period with another time of day starts a new run.
    package func resumed(at start: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: day, time: Period.anchorTime(of: start, keeping: time))
    }

    /// The anchor for the periods after this one. After a period of months, the day of the run stays. After a period of
    /// days or weeks, the end of that period determines the day: for example, a free week from the 1st and then months
    /// from the 8th. The time of day stays in every case.
    ///
    /// - Parameters:
    ///   - period: The period, which belongs to the run of this anchor.
    ///   - end: The end of that period.
    package func following(_ period: Period, until end: Timestamp) -> PeriodAnchor {
        PeriodAnchor(day: period.months == nil ? Period.anchorDay(of: end) : day, time: time)
    }
}
