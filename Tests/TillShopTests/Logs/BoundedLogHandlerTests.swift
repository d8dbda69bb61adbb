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
}
