import Foundation
import Testing
import TillCalendar

@Suite("Days of the calendar")
struct CivilDateTests {
    @Test("Every day of eight centuries follows the one before, and has its number")
    func everyDay() throws {
        var before = CivilDate(daysSince1970: -200_001)
        for number in Int64(-200_000)...100_000 {
            let date = CivilDate(daysSince1970: number)
            let next = CivilDate(year: before.year, month: before.month, day: before.day + 1)
            let first = CivilDate(year: before.year, month: before.month + 1, day: 1)
            let expected = next ?? first ?? CivilDate(year: before.year + 1, month: 1, day: 1)
            guard date == expected, date.daysSince1970 == number else {
                Issue.record("day \(number) is \(date) after \(before)")
                return
            }
            before = date
        }
    }

    @Test("Days are those of Foundation's calendar")
    func foundation() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        for number in stride(from: Int64(-25_567), through: 2_932_896, by: 997) {
            let instant = Date(timeIntervalSince1970: Double(number) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: instant)
            let date = CivilDate(daysSince1970: number)
            #expect(
                [date.year, date.month, date.day] == [parts.year, parts.month, parts.day].map { $0.map(Int64.init) }
            )
        }
    }

    @Test(
        "A day that does not exist is refused",
        arguments: [
            (2_021, 2, 29), (1_900, 2, 29), (2_026, 4, 31), (2_026, 0, 1), (2_026, 13, 1), (2_026, 1, 0),
            (2_026, 1, 32), (1_000_000_000, 1, 1),
        ] as [(Int64, Int64, Int64)]
    )
    func refused(year: Int64, month: Int64, day: Int64) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test("Leap days exist, also in the year 0 and before")
    func leapDays() {
        for (year, number) in [(2_000, 11_016), (2_024, 19_782), (0, -719_469), (-400, -865_566)] as [(Int64, Int64)] {
            #expect(CivilDate(year: year, month: 2, day: 29)?.daysSince1970 == number)
        }
    }
}
