import Testing

@testable import TillJSON

/// Encodes `Codable` values as JSON documents, and decodes them.
@Suite("Codable values as JSON documents")
struct ValueCodingTests {
    private enum Kind: String, Codable { case small, large }

    private struct Part: Codable, Equatable {
        var number: Int64
        var kind: Kind
    }

    private struct Whole: Codable, Equatable {
        var zebra: String
        var apple: Part
        var none: Part?
        var flags: [Bool]
        var parts: [Part]?
        var ratio: Double?
        var counts: [String: Int]?

        static let sample = Whole(
            zebra: "z",
            apple: Part(number: .max, kind: .large),
            flags: [true, false],
            parts: [Part(number: -1, kind: .small)],
            ratio: 1.5,
            counts: ["one": 1]
        )
    }

    @Test("Keys keep the order of the properties, and absent values are omitted")
    func order() throws {
        var bytes: [UInt8] = []
        try JSONTree(encoding: Whole.sample).append(to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"zebra":"z","apple":{"number":9223372036854775807,"kind":"large"},"#
                + #""flags":[true,false],"parts":[{"number":-1,"kind":"small"}],"ratio":1.5,"counts":{"one":1}}"#
        )
    }

    @Test("A decoded value equals the encoded one, and null means absent")
    func roundTrip() throws {
        #expect(try JSONTree(encoding: Whole.sample).decode(Whole.self) == Whole.sample)
        let text = #"{"zebra":"","apple":{"number":1,"kind":"small"},"none":null,"flags":[]}"#
        let decoded = try JSONTree.parse(Array(text.utf8)).decode(Whole.self)
        #expect(decoded == Whole(zebra: "", apple: Part(number: 1, kind: .small), flags: []))
    }

    @Test(
        "A missing key, a wrong type and an unknown word are errors",
        arguments: [
            #"{"zebra":"","flags":[]}"#, #"{"zebra":1,"apple":{"number":1,"kind":"small"},"flags":[]}"#,
            #"{"zebra":"","apple":{"number":1.5,"kind":"small"},"flags":[]}"#,
            #"{"zebra":"","apple":{"number":1,"kind":"tiny"},"flags":[]}"#, "[]", "1",
            #"{"zebra":"","apple":[],"flags":{}}"#,
        ]
    )
    func faults(text: String) throws {
        let tree = try JSONTree.parse(Array(text.utf8))
        #expect(throws: DecodingError.self) { try tree.decode(Whole.self) }
    }
}
