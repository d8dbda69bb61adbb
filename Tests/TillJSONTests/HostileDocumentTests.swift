import Testing
import TillJSON

/// Reads malicious documents. The memory and time of the reader must not grow faster than the length of the document.
@Suite("Malicious documents")
struct HostileDocumentTests {
    private let longKey = String(repeating: "k", count: 1_000_000)

    @Test("A long key above many values costs no more than the length of the document")
    func longKeys() throws {
        let arrays = String(repeating: "[],", count: 200_000) + "[]"
        let clock = ContinuousClock()
        let began = clock.now
        let tree = try JSONTree.parse(Array("{\"\(longKey)\":[\(arrays)]}".utf8))
        #expect(clock.now - began < .seconds(30))
        guard case .object(let members) = tree else { throw Unexpected() }
        #expect(members.map(\.key) == [longKey])
    }

    @Test("Paths in errors are short, however long the keys are, and the number of errors is limited")
    func longFaults() throws {
        let twice = String(repeating: #"{"a":1,"a":2},"#, count: 3_000)
        let text = #"{"\#(longKey)":{"\#(longKey)":[\#(twice)0]}}"#
        do {
            _ = try JSONTree.parse(Array(text.utf8))
            Issue.record("taken")
        } catch {
            let bytes = error.faults.reduce(0) { $0 + $1.path.utf8.count }
            #expect(error.faults.count > 100)
            #expect(bytes < 256 * 1_024)
            #expect(error.faults[0].path.hasPrefix("$[\"kkkk"))
            #expect(error.faults[0].path.hasSuffix("k…\"][0].a"))
        }
    }

    @Test("A message is cut even within a very long character")
    func longCharacters() {
        let text = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(text.count == 1)
        #expect(JSONTree.short(text).utf8.count < 300)
        #expect(JSONTree.path("$", text).utf8.count < 100)
        #expect(JSONTree.short("a\r\nb") == "a b")
        #expect(JSONTree.short(String(repeating: "ä", count: 61)) == String(repeating: "ä", count: 60) + "…")
    }

    @Test("A path is computed only when an error needs it")
    func paths() {
        var path = JSONPath()
        path.enter("a")
        path.enter(2)
        path.enter("b c")
        #expect(path.text == "$.a[2][\"b c\"]")
        path.leave()
        #expect(path.text == "$.a[2]")
    }

    private struct Unexpected: Error {}
}
