import Testing
import TillCore

@Suite("Retries of failed notifications")
struct RetryScheduleTests {
    @Test(
        "A failed notification is retried after fixed delays",
        arguments: [
            (RetrySchedule.production, [0, 1, 13, 37, 85, 157]), (.single, [0]), (.v1, [0, 6, 30, 78]),
        ]
    )
    func offsets(schedule: RetrySchedule, hours: [Int64]) {
        let start = Timestamp(seconds: 1_767_225_600)
        var attempts = [start]
        while let last = attempts.last, let next = schedule.next(afterAttempts: attempts.count, last: last) {
            attempts.append(next)
        }
        #expect(attempts.map { ($0.milliseconds - start.milliseconds) / 3_600_000 } == hours)
    }

    @Test("The delay of a retry is counted from the previous attempt, even if that attempt was late")
    func late() {
        let late = Timestamp(seconds: 2_000_000_000)
        let next = RetrySchedule.production.next(afterAttempts: 2, last: late)
        #expect(next == late.advanced(milliseconds: 12 * 3_600_000))
        #expect(RetrySchedule.production.next(afterAttempts: 6, last: late) == nil)
        #expect(RetrySchedule.production.next(afterAttempts: 0, last: late) == nil)
    }
}
