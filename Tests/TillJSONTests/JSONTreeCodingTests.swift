import Foundation
import Testing

@testable import TillJSON

/// Checks documents as parts of `Codable` values.
@Suite("A document as a part of a Codable value")
struct JSONTreeCodingTests {
    private struct Holder: Codable, Equatable {
        var document: JSONTree
        var amounts: [String: Int]
    }

    private let text = #"{"document":{"b":[1,2.50,"x",true,null],"a":{}},"amounts":{"a":1,"b":2,"c":3,"d":4}}"#

    @Test("Till's coders keep the document exactly, and sort the keys of a dictionary")
    func exact() throws {
        let tree = try JSONTree.parse(Array(text.utf8))
        let holder = try tree.decode(Holder.self)
        #expect(holder.document == tree["document"])
        var bytes: [UInt8] = []
        try JSONTree(encoding: holder).append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("Other coders read and write the same values")
    func foundation() throws {
        let holder = try JSONDecoder().decode(Holder.self, from: Data(text.utf8))
        #expect(holder.document["b"]?.elements == [.number("1"), .number("2.5"), .string("x"), .bool(true), .null])
        #expect(holder.document["a"] == .object([]))
        let written = try JSONDecoder().decode(Holder.self, from: try JSONEncoder().encode(holder))
        #expect(written.document["b"] == holder.document["b"] && written.amounts == holder.amounts)
    }
}
