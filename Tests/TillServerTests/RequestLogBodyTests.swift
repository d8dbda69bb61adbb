import Testing

@testable import TillServer

@Suite("The request log contains no secret from a body")
struct RequestLogBodyTests {
    private static let secret = "0123456789abcdef"

    @Test(
        "The log contains no secret from an invalid body",
        arguments: [
            #"{"password":"SECRET"}"#, #"{"Password":"SECRET"}"#, #"{"a":[{"sharedSecret":"SECRET"}]}"#,
            #"{"password":"x","password":"SECRET"}"#, #"{"password":"SECRET"#, #"{"a":1 "password":"SECRET"}"#,
            #"{"pass\u0077ord":"SECRET"}"#, #"{"pass\u0077ord":"SECRET""#, "{'password':'SECRET'}",
            "receipt-data=AAAA&password=SECRET", "\u{feff}{\"password\":\"SECRET\"}", #"{"password":SECRET}"#,
        ]
    )
    func redacted(_ pattern: String) {
        let text = pattern.replacing("SECRET", with: Self.secret)
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        for bytes in [Array(text.utf8), wide, [0xff] + Array(text.utf8)] {
            let shown = RequestLogBody.text(bytes).filter { $0 != "\0" }
            #expect(!shown.contains(Self.secret), "\(shown)")
        }
    }

    @Test("The explanation of an invalid body contains no part of a secret")
    func explained() throws {
        for text in ["{\"password\": SECRET}", "{\"password\"/**/:\"SECRET\"}"] {
            let error = try #require(throws: APIError.self) { try RequestBody(Array(text.utf8)) }
            #expect(error.explanation.contains("line 1") && !error.explanation.contains("SEC"), "\(error.explanation)")
        }
        let error = try #require(throws: APIError.self) { try RequestBody(Array("[SECRET]".utf8)) }
        #expect(error.explanation.contains("`SECRET"))
    }

    @Test("Any other body is logged as it was sent")
    func kept() {
        for text in [#"{ "a" : 1 }"#, #"{"a":"#, "a=b"] { #expect(RequestLogBody.text(Array(text.utf8)) == text) }
    }
}
