import Foundation
import Testing

@testable import TillVerification

@Suite("Dates in receipts")
struct ReceiptDateTests {
    @Test("A receipt has a date in three formats, truncated to the second, with daylight saving in California")
    func spellings() {
        let instant: Int64 = 1_594_755_400_999
        #expect(ReceiptDate.iso8601(instant) == "2020-07-14T19:36:40Z")
        #expect(ReceiptDate.gmt(instant) == "2020-07-14 19:36:40 Etc/GMT")
        #expect(ReceiptDate.pacific(instant) == "2020-07-14 12:36:40 America/Los_Angeles")
        #expect(ReceiptDate.pacific(1_767_225_600_000) == "2025-12-31 16:00:00 America/Los_Angeles")
        #expect(ReceiptDate.iso8601(-1) == "1969-12-31T23:59:59Z")
        #expect(ReceiptDate.iso8601(.max) == "9999-12-31T23:59:59Z")
        #expect(ReceiptDate.iso8601(.min) == "0000-01-01T00:00:00Z")
        #expect(ReceiptDate.pacific(.min) == "0000-01-01 00:00:00 America/Los_Angeles")
    }

    @Test("Every day from 1900 to 2200 is parsed, and formatted as Foundation formats it")
    func foundation() {
        let style = Date.ISO8601FormatStyle()
        for day in stride(from: -25_567, through: 84_006, by: 7) {
            let seconds = day * 86_400 + (day & 0xFFFF)
            let text = ReceiptDate.iso8601(Int64(seconds) * 1_000)
            #expect(text == Date(timeIntervalSince1970: Double(seconds)).formatted(style))
            #expect(ReceiptDate.instant(of: Array(text.utf8)[...]) == Int64(seconds) * 1_000)
        }
    }

    @Test("A date with a fraction of a second or an offset is accepted")
    func tolerance() {
        for (text, expected) in [
            ("2020-07-14T19:36:40Z", 1_594_755_400_000), ("2020-07-14T19:36:40.5Z", 1_594_755_400_500),
            ("2020-07-14T19:36:40.123456789Z", 1_594_755_400_123), ("2020-07-14T22:36:40+0300", 1_594_755_400_000),
            ("2020-07-14T12:36:40-07:00", 1_594_755_400_000), ("2000-02-29T00:00:00Z", 951_782_400_000),
        ] as [(String, Int64)] {
            #expect(ReceiptDate.instant(of: Array(text.utf8)[...]) == expected, "\(text)")
        }
    }

    @Test(
        "An invalid date is rejected",
        arguments: [
            "", "2020", "2020-07-14", "2020-07-14 19:36:40Z", "2020-07-14T19:36:40", "2020-13-14T19:36:40Z",
            "2020-00-14T19:36:40Z", "2020-07-00T19:36:40Z", "2020-07-32T19:36:40Z", "2021-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2020-07-14T24:36:40Z", "2020-07-14T19:60:40Z", "2020-07-14T19:36:60Z",
            "2020-07-14T19:36:40.Z", "2020-07-14T19:36:40ZZ", "2020-07-14T19:36:40+03", "2020-07-14T19:36:40+2500",
            "+020-07-14T19:36:40Z", "2020-7-14T19:36:40Z", "-2020-07-14T19:36:40Z", "２020-07-14T19:36:40Z",
        ]
    )
    func refused(text: String) {
        #expect(ReceiptDate.instant(of: Array(text.utf8)[...]) == nil)
    }
}
