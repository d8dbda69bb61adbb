/// A day of the Gregorian calendar, which is also applied to the time before its introduction.
package struct CivilDate: Equatable, Sendable {
    /// The year; the year before 1 is 0.
    package let year: Int64
    /// From 1 to 12.
    package let month: Int64
    /// From 1.
    package let day: Int64

    /// A day by its number.
    ///
    /// - Parameter days: days since 1970-01-01; negative before.
    package init(daysSince1970 days: Int64) {
        // Eras of 400 years, and years that begin in March, so that a leap day is the last of its year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    /// A day by its year (of at most nine digits), month and day; nil if there is no such day.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard
            (-999_999_999...999_999_999).contains(year), (1...12).contains(month),
            (1...Self.length(of: month, year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Days since 1970-01-01; negative before.
    package var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
