import Foundation
import Testing
import TillStorage

@Suite("Errors in log lines")
struct LogTextTests {
    private struct Account: Decodable {
        let secret: Int
    }

    private enum SampleError: Error {
        case plain
        case holding(key: String)
    }

    private struct Holder: Error {
        let privateKey = "-----BEGIN PRIVATE KEY-----"
    }

    private struct Wordy: Error, CustomStringConvertible {
        let description: String
    }

    @Test("The text of an error contains its type and case, but no associated value")
    func reflection() {
        #expect(SampleError.plain.logText == "SampleError.plain")
        #expect(SampleError.holding(key: "secret").logText == "SampleError.holding")
        #expect(Holder().logText == "Holder")
    }

    @Test("The text of a decoding error contains its coding path")
    func decoding() throws {
        let text = #"{"secret":"hunter2"}"#
        let error = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode(Account.self, from: Data(text.utf8))
        }
        #expect(error?.logText == "$.secret is no Int")
        let missing = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode([Account].self, from: Data("[{}]".utf8))
        }
        #expect(missing?.logText.contains("secret is missing") == true)
        let broken = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode(Account.self, from: Data("hunter2".utf8))
        }
        #expect(broken?.logText == "$ cannot be read")
    }

    @Test("An error's own description is kept, on one line and cut at a maximum length")
    func words() {
        #expect(Wordy(description: "one\ntwo").logText == "one two")
        #expect(Wordy(description: String(repeating: "x", count: 5_000)).logText.count == LogText.maxCharacters + 1)
        #expect(POSIXError(.ENOSPC).logText == "No space left on device")
    }
}
