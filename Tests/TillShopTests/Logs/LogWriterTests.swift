import Foundation
import Testing

@testable import TillShop

/// Writes log lines to a pipe that is not read at first.
@Suite("A log whose reader stalls")
struct LogWriterTests {
    private static let line = Array((String(repeating: "x", count: 99) + "\n").utf8)

    /// Reads a pipe until the lines in it account for a number of written lines.
    private static func read(_ pipe: Pipe, until written: Int) -> (kept: Int, lost: Int, last: String) {
        var (text, kept, lost, last) = (Data(), 0, 0, "")
        while kept + lost < written {
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += more
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                last = String(decoding: text[text.startIndex..<end], as: UTF8.self)
                text = Data(text[text.index(after: end)...])
                if let number = last.split(separator: " ").first.flatMap({ Int($0) }) {
                    lost += number
                } else {
                    kept += 1
                }
            }
        }
        return (kept, lost, last)
    }

    @Test("Writing never waits, and a line says how many lines did not fit into the queue")
    func stalled() {
        let pipe = Pipe()
        let writer = LogWriter(pipe.fileHandleForWriting.fileDescriptor, maxLines: 500)
        writer.describeLost { Array("\($0) were lost\n".utf8) }
        let count = 20_000
        // The pipe holds a part of the lines; without the queue, this blocks forever.
        for _ in 0..<count { writer.write(Self.line) }
        let read = Self.read(pipe, until: count)
        #expect(read.kept + read.lost == count && read.lost > 0 && read.kept >= 500)
        #expect(read.last.hasSuffix(" were lost"))
        // Afterwards, lines are written again.
        writer.write(Self.line)
        #expect(Self.read(pipe, until: 1).kept == 1)
    }

    @Test("Lines keep their order, also lines that are longer than the pipe accepts at once")
    func order() {
        let pipe = Pipe()
        let writer = LogWriter(pipe.fileHandleForWriting.fileDescriptor)
        let lines = (0..<300).map { number in
            Array("a\(number)\(String(repeating: "x", count: number % 3 == 0 ? 9_000 : 5))\n".utf8)
        }
        lines.forEach(writer.write)
        let all = lines.reduce(into: Data()) { $0 += $1 }
        var found = Data()
        while found.count < all.count { found += pipe.fileHandleForReading.availableData }
        #expect(found == all)
        writer.flush()
    }
}
