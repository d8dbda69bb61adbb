import Foundation
import Logging
import Testing
import TillJSON
import TillShop
import TillStorage

@Suite("Log lines as JSON")
struct JSONLogHandlerTests {
    /// A logger, and the function that returns the lines it has written.
    private static func logger(
        metadataProvider: Logger.MetadataProvider? = nil
    ) -> (logger: Logger, lines: @Sendable () -> [[UInt8]]) {
        let lines = Synchronized<[[UInt8]]>([])
        let logger = Logger(
            label: "till",
            factory: { label in
                BoundedLogHandler(
                    JSONLogHandler(
                        label: label,
                        metadataProvider: metadataProvider,
                        now: { Date(timeIntervalSince1970: 1_767_225_600.007) },
                        write: { line in lines.value += [line] }
                    ),
                    isText: false
                )
            }
        )
        return (logger, { lines.value })
    }

    @Test("A line has time, level, message and logger, and then its metadata by name")
    func whole() throws {
        let (made, lines) = Self.logger(metadataProvider: Logger.MetadataProvider { ["trace_id": "abc", "b": "no"] })
        var logger = made
        logger[metadataKey: "own"] = "always"
        logger.warning(
            "a delivery failed",
            metadata: [
                "b": "2", "attempt": .stringConvertible(3), "list": ["x", .stringConvertible(1)],
                "object": ["k": "v"],
            ]
        )
        let expected = """
            {"time":"2026-01-01T00:00:00.007Z","level":"warning","message":"a delivery failed","logger":"till",\
            "attempt":3,"b":"2","list":["x",1],"object":{"k":"v"},"own":"always","trace_id":"abc"}

            """
        #expect(lines().map { String(decoding: $0, as: UTF8.self) } == [expected])
    }

    @Test("Metadata cannot replace the values of the line itself")
    func reserved() throws {
        let (logger, lines) = Self.logger()
        logger.info("real", metadata: ["message": "forged", "level": "x", "time": "x", "logger": "x"])
        let tree = try JSONTree.parse(Array(try #require(lines().first).dropLast()))
        #expect(tree["message"]?.text == "real" && tree["metadata.message"]?.text == "forged")
    }

    @Test("Every input gives one line of valid JSON")
    func everyInput() throws {
        let (logger, lines) = Self.logger()
        let everyControl = String(String.UnicodeScalarView((0...0x1F).compactMap(Unicode.Scalar.init)))
        let inputs = [
            everyControl, "\"\\/\u{2028}\u{2029}\u{7F}\u{FEFF}", "line\r\nbreak", "\u{0}", "🦊🏽‍🚀é", "",
            String(decoding: [0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x61] as [UInt8], as: UTF8.self),
            // One character with any number of combining marks.
            "a" + String(repeating: "\u{301}", count: 100_000), String(repeating: "x", count: 100_000),
            String(repeating: "\u{1}", count: 100_000),
        ]
        for input in inputs {
            logger.notice("\(input)", metadata: ["value": "\(input)", "deep": ["in": ["\(input)"]]])
        }
        #expect(lines().count == inputs.count)
        for (line, input) in zip(lines(), inputs) {
            #expect(line.last == UInt8(ascii: "\n") && !line.dropLast().contains { $0 < 0x20 })
            #expect(line.count < 3 * 6 * (4 * LogText.maxCharacters + 200), "\(line.count)")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            if input.utf8.count <= LogText.maxCharacters { #expect(object["value"] as? String == input) }
        }
    }

    @Test("A level below that of the logger writes nothing")
    func level() {
        let (made, lines) = Self.logger()
        var logger = made
        logger.logLevel = .notice
        logger.info("no")
        logger.notice("yes")
        #expect(lines().count == 1)
    }
}
