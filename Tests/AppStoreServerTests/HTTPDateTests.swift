import Testing
import TillCalendar

@testable import AppStoreServer

@Suite("Headers with hostile values are ignored")
struct HTTPDateTests {
    @Test("A date has valid numbers of years, hours, minutes and seconds")
    func dates() {
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") == Timestamp(seconds: 784_111_777))
        #expect(HTTPDate.parse("Fri, 31 Dec 9999 23:59:60 GMT") != nil)
        let hostile = [
            "Sun, 06 Nov 1994 9223372036854775807:00:00 GMT", "Sun, 06 Nov 1994 00:9223372036854775807:00 GMT",
            "Sun, 06 Nov 1994 00:00:9223372036854775807 GMT", "Sun, 06 Nov -999999999 08:49:37 GMT",
            "Sun, 06 Nov 999999999 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 -1:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 :08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "",
        ]
        for text in hostile { #expect(HTTPDate.parse(text) == nil, "\(text)") }
    }

    @Test("A wait is never negative, and no number traps")
    func waits() {
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        for text in ["0", "-5", "\(Int64.min)", "Sun, 06 Nov 1994 08:49:37 GMT", "100000000001"] {
            #expect(HTTPDate.wait(text, now: now) == .zero, "\(text)")
        }
        #expect(HTTPDate.wait("3600", now: now) == .seconds(3_600))
        #expect(HTTPDate.wait("1790000002500", now: now) == .milliseconds(2_500))
        #expect(HTTPDate.wait("\(Int64.max)", now: now) == .milliseconds(Int64.max - now.milliseconds))
        for text in ["1e30", "soon", "9223372036854775808"] { #expect(HTTPDate.wait(text, now: now) == nil, "\(text)") }
    }

    @Test("A port beyond 65535 is an error that cannot be retried")
    func port() async {
        for url in ["http://127.0.0.1:65536/", "http://127.0.0.1:99999/", "http://127.0.0.1:0/"] {
            let request = TransportRequest(method: "GET", url: url, headers: [], body: nil)
            let failure = await #expect(throws: TransportFailure.self) {
                try await HTTPClientTransport(client: .withoutRetries).send(request, timeout: .seconds(5), maxBytes: 9)
            }
            #expect(failure?.canRetry == false && failure?.mayHaveArrived == false, "\(url)")
        }
    }
}
