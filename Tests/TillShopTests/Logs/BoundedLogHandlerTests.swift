import Logging
import Testing
import TillShop
import TillStorage
import TillTestSupport

@Suite("Log lines have a maximum length")
struct BoundedLogHandlerTests {
    private struct Holder: Error {
        let privateKey = "secret"
    }

    @Test("Every text in a log line is cut at a maximum length, and an error is logged by its name")
    func cut() throws {
        let log = TestLog()
        var logger = Logger(label: "test", factory: { _ in BoundedLogHandler(log.logger().handler) })
        logger.logLevel = .error
        let long = String(repeating: "x", count: 7_960)
        logger[metadataKey: "own"] = "\(long)"
        logger.error(
            "\(long)",
            error: Holder(),
            metadata: [
                "text": "\(long)", "list": ["\(long)"], "value": .stringConvertible(long), "in": ["deep": "\(long)"],
            ]
        )
        let line = try #require(log.errors.first)
        #expect(line.count < 7 * (LogText.maxCharacters + 100), "\(line.count)")
        #expect(!line.contains(String(repeating: "x", count: LogText.maxCharacters + 1)))
        #expect(line.contains("7960 characters") && line.contains("Holder") && !line.contains("secret"))
    }

    @Test("No value begins a new line, controls a terminal or changes the direction of the text")
    func oneLine() throws {
        let log = TestLog()
        var logger = Logger(label: "test", factory: { _ in BoundedLogHandler(log.logger().handler) })
        logger.logLevel = .error
        logger.error(
            "begin\r\nend",
            metadata: ["key": "X\n2026 notice till: stopped", "app": "a\u{1B}[2J\u{9B}\u{85}\u{202E}\u{2028}é😀"]
        )
        let line = try #require(log.errors.first)
        #expect(line.contains("begin  end") && line.contains("X 2026 notice") && line.contains("é😀"))
        let dangerous: Set<Unicode.Scalar> = ["\n", "\r", "\u{1B}", "\u{9B}", "\u{85}", "\u{202E}", "\u{2028}"]
        #expect(line.unicodeScalars.allSatisfy { !dangerous.contains($0) })
    }
}
