import HTTPTypes
import Hummingbird
import NIOCore
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
            let error = try #require(throws: APIError.self) { try TillServer.RequestBody(Array(text.utf8)) }
            #expect(error.explanation.contains("line 1") && !error.explanation.contains("SEC"), "\(error.explanation)")
        }
        let error = try #require(throws: APIError.self) { try TillServer.RequestBody(Array("[SECRET]".utf8)) }
        #expect(error.explanation.contains("`SECRET"))
    }

    @Test("Any other body is logged as it was sent")
    func kept() {
        for text in [#"{ "a" : 1 }"#, #"{"a":"#, "a=b"] { #expect(RequestLogBody.text(Array(text.utf8)) == text) }
    }

    @Test("A handler gets the error of a body that the log could not read")
    func incomplete() async {
        let sent = AsyncThrowingStream<ByteBuffer, any Error> { stream in
            stream.yield(ByteBuffer(string: "{"))
            stream.finish(throwing: ChannelError.inputClosed)
        }
        var request = Request(
            head: .init(
                method: .post,
                scheme: "http",
                authority: "localhost",
                path: "/verifyReceipt",
                headerFields: [.contentLength: "200"]
            ),
            body: .init(asyncSequence: sent)
        )
        let logged = await RequestLogBody.take(from: &request)
        #expect(logged == nil)
        let read = request
        await #expect(throws: ChannelError.inputClosed) { try await read.body.collect(upTo: 1_024) }
    }
}
