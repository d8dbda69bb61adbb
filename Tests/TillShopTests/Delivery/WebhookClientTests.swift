import Foundation
import Testing
import TillCore
import TillShop
import TillTestSupport

/// Posts a small body to a URL with a new webhook client.
func postOnce(to url: String, timeout: Duration = .seconds(20), roots: [String] = []) async throws -> AttemptResult {
    let webhookClient = try WebhookClient(timeout: timeout, extraRoots: roots)
    let delivered = await webhookClient.post(Array(#"{"signedPayload":"a.b.c"}"#.utf8), to: url)
    try await webhookClient.shutdown()
    return delivered
}

@Suite("Results of delivery attempts, each caused by a real network condition")
struct WebhookClientTests {
    /// Posts once to a webhook receiver with these answers, and expects exactly one request.
    private func post(
        _ answer: WebhookReceiver.Answer,
        timeout: Duration = .seconds(20),
        requests: Int = 1
    ) async throws -> AttemptResult {
        let post = try await WebhookReceiver.start { _ in answer }
        let delivered = try await postOnce(to: post.url, timeout: timeout)
        #expect(post.requests.count == requests)
        try await post.stop()
        return delivered
    }

    @Test("SUCCESS: the endpoint answers with a status from 200 to 206", arguments: 200...206)
    func success(status: Int) async throws {
        let delivered = try await post(.status(status))
        #expect(delivered.result == .success && delivered.status == status && delivered.explanation == nil)
    }

    @Test("The request is a POST of the notification's bytes as JSON, with Host, User-Agent and Till-Delivery")
    func request() async throws {
        let post = try await WebhookReceiver.start()
        let webhookClient = try WebhookClient(userAgent: "Till/9")
        let body = Array(#"{"signedPayload":"ü"}"#.utf8)
        _ = await webhookClient.post(body, to: post.url + "?key=a%20b#part")
        let request = try #require(post.requests.first)
        #expect(request.method == "POST" && request.path == "/notifications?key=a%20b" && request.body == body)
        #expect(request.header("content-type") == "application/json" && request.header("user-agent") == "Till/9")
        #expect(request.header("host") == "127.0.0.1:\(post.port)")
        #expect(request.header("content-length") == "\(body.count)")
        #expect(request.header("till-delivery") == "1")
        try await webhookClient.shutdown()
        try await post.stop()
    }

    @Test(
        "UNSUCCESSFUL_HTTP_RESPONSE_CODE: the endpoint answers with any other status",
        arguments: [101, 207, 226, 299, 300, 304, 400, 401, 404, 410, 429, 500, 503, 599]
    )
    func otherCodes(status: Int) async throws {
        let delivered = try await post(.status(status))
        #expect(delivered.result == .unsuccessfulHTTPResponseCode && delivered.status == status)
        #expect(delivered.explanation?.hasSuffix("answered \(status)") == true)
    }

    @Test("UNSUCCESSFUL_HTTP_RESPONSE_CODE: the endpoint sends a redirect without a location")
    func nowhere() async throws {
        let delivered = try await post(.status(302))
        #expect(delivered.result == .unsuccessfulHTTPResponseCode && delivered.status == 302)
        let foreign = try await post(.redirect(to: "ftp://elsewhere/"))
        #expect(foreign.result == .unsuccessfulHTTPResponseCode && foreign.status == 307)
    }

    @Test("SOCKET_ISSUE: the endpoint refuses the connection; the explanation contains the address")
    func refused() async throws {
        let post = try await WebhookReceiver.start()
        try await post.stop()
        let delivered = try await postOnce(to: post.url)
        #expect(delivered.result == .socketIssue && delivered.status == nil)
        #expect(delivered.explanation == "connection refused by 127.0.0.1:\(post.port)")
        #expect(delivered.milliseconds < 15_000)
    }

    @Test("SOCKET_ISSUE: the host name does not resolve")
    func unresolved() async throws {
        let delivered = try await postOnce(to: "http://unknown.invalid/hook", timeout: .seconds(30))
        #expect(delivered.result == .socketIssue)
        #expect(delivered.explanation == "the name unknown.invalid was not resolved")
    }

    @Test("SOCKET_ISSUE: the address is not reachable")
    func unreachable() async throws {
        let delivered = try await postOnce(to: "http://255.255.255.255:8080/", timeout: .seconds(2))
        #expect(delivered.result == .socketIssue)
    }

    @Test("SOCKET_ISSUE: the endpoint resets the connection before it answers")
    func reset() async throws {
        let delivered = try await post(.reset)
        #expect(delivered.result == .socketIssue)
        #expect(delivered.explanation?.hasPrefix("connection reset by 127.0.0.1:") == true)
    }

    @Test("NO_RESPONSE: the endpoint closes the connection without sending a byte")
    func close() async throws {
        #expect(try await post(.close).result == .noResponse)
    }

    @Test(
        "PREMATURE_CLOSE: the endpoint closes the connection in the middle of the answer",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        ]
    )
    func closeMidway(text: String) async throws {
        #expect(try await post(.rawThenClose(Array(text.utf8))).result == .prematureClose)
        #expect(try await post(.closeMidway).result == .prematureClose)
    }

    @Test(
        "INVALID_RESPONSE: the endpoint sends bytes that are not HTTP",
        arguments: [
            "hello\r\n", "220 mail.example ESMTP\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\u{16}\u{3}\u{1}\u{2}",
        ]
    )
    func garbage(text: String) async throws {
        #expect(try await post(.raw(Array(text.utf8))).result == .invalidResponse)
    }

    @Test(
        "CIRCULAR_REDIRECT: a URL redirects to itself, two URLs to each other, or redirects never end",
        arguments: [301, 302, 303, 307, 308]
    )
    func circles(status: Int) async throws {
        let itself = try await post(.redirect(to: "/notifications", status: status))
        #expect(itself.result == .circularRedirect && itself.status == status)
        let post = try await WebhookReceiver.start { request in
            .redirect(to: request.path == "/notifications" ? "/two" : "/notifications", status: status)
        }
        #expect(try await postOnce(to: post.url).result == .circularRedirect)
        #expect(post.requests.map(\.path) == ["/notifications", "/two"])
        try await post.stop()
        let endless = try await WebhookReceiver.start { .redirect(to: "/\($0.number)", status: status) }
        #expect(try await postOnce(to: endless.url).result == .circularRedirect)
        #expect(endless.requests.count == 6)
        try await endless.stop()
    }

    @Test(
        "Five redirects are followed with the same POST, also to another server",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async throws {
        let last = try await WebhookReceiver.start { _ in .status(204) }
        let place = last.url
        let first = try await WebhookReceiver.start { request in
            .redirect(to: request.number == 5 ? place : "hop-\(request.number)", status: status)
        }
        let delivered = try await postOnce(to: first.url)
        #expect(delivered.result == .success && delivered.status == 204)
        #expect(first.requests.count == 5 && last.requests.count == 1)
        #expect(Set((first.requests + last.requests).map(\.body)).count == 1)
        #expect((first.requests + last.requests).allSatisfy { $0.method == "POST" && !$0.body.isEmpty })
        try await first.stop()
        try await last.stop()
    }

    @Test(
        "UNSUPPORTED_CHARSET: the answer has an unknown charset",
        arguments: ["klingon", "utf-9", "iso-8859-12", "cp1"]
    )
    func unknownCharset(name: String) async throws {
        let delivered = try await post(.charset(name))
        #expect(delivered.result == .unsupportedCharset && delivered.status == 200)
    }

    @Test(
        "A known charset is accepted",
        arguments: ["utf-8", "UTF-8", "\"utf-8\"", "ISO-8859-1", "windows-1252", "Shift_JIS", "gb18030", "koi8-r", ""]
    )
    func knownCharset(name: String) async throws {
        #expect(try await post(.charset(name)).result == .success)
    }

    @Test("OTHER: the header is too long, the URL is invalid, or the client was shut down")
    func other() async throws {
        let long = "HTTP/1.1 200 OK\r\nX-Long: \(String(repeating: "a", count: 70_000))\r\n\r\n"
        #expect(try await post(.raw(Array(long.utf8))).result == .other)
        let many = "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Many: aaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", count: 4_000)
        #expect(try await post(.raw(Array(many.utf8))).result == .other)
        for url in ["", "hello", "ftp://127.0.0.1/", "http://", "http:///a", "http://127.0.0.1:99999/"] {
            #expect(try await postOnce(to: url).result == .other, "\(url)")
        }
        let post = try await WebhookReceiver.start()
        let webhookClient = try WebhookClient()
        try await webhookClient.shutdown()
        #expect(await webhookClient.post([], to: post.url).result == .other)
        #expect(post.requests.isEmpty)
        try await post.stop()
    }

    @Test("TIMED_OUT: the endpoint does not accept the connection in time")
    func connectTimeout() async throws {
        let silent = try SilentPort()
        let delivered = try await postOnce(to: "http://127.0.0.1:\(silent.port)/", timeout: .milliseconds(300))
        #expect(delivered.result == .timedOut && delivered.milliseconds >= 290)
        #expect(delivered.explanation == "no connection to 127.0.0.1:\(silent.port) within the time limit")
    }

    @Test("TIMED_OUT: the answer, its header or its body is late, or all redirects together take too long")
    func answerTimeout() async throws {
        let limit = Duration.milliseconds(500)
        let answers: [WebhookReceiver.Answer] = [
            .hang, .status(200, after: .seconds(9)), .raw(Array("HTTP/1.1 200 OK\r\nContent".utf8)),
            .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8)),
            .raw(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)),
        ]
        for answer in answers {
            let delivered = try await post(answer, timeout: limit)
            #expect(delivered.result == .timedOut && delivered.milliseconds >= 490, "\(answer)")
        }
        let post = try await WebhookReceiver.start { request in
            request.number < 3 ? .redirect(to: "/\(request.number)") : .hang
        }
        #expect(try await postOnce(to: post.url, timeout: limit).result == .timedOut)
        try await post.stop()
    }

    @Test("SUCCESS: a body longer than the limit is accepted, however long it is")
    func longBody() async throws {
        let long = [UInt8](repeating: 120, count: 300_000)
        #expect(try await post(.text(200, body: long)).result == .success)
        let endless = Array("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n".utf8) + long
        #expect(try await post(.raw(endless)).result == .success)
    }

    @Test("SUCCESS: an answer without a length ends when the connection closes")
    func untilTheEnd() async throws {
        #expect(try await post(.rawThenClose(Array("HTTP/1.0 200 OK\r\n\r\nfine".utf8))).result == .success)
    }

    @Test("An explanation contains no path, no query and no password")
    func secrets() async throws {
        let post = try await WebhookReceiver.start { request in
            [.status(500), .close, .reset, .raw(Array("secret\r\n".utf8)), .charset("secret")][request.number - 1]
        }
        for _ in 1...5 {
            let url = "http://user:secret@127.0.0.1:\(post.port)/secret?token=secret"
            let delivered = try await postOnce(to: url)
            #expect(delivered.explanation?.isEmpty == false && delivered.explanation?.contains("secret") == false)
        }
        try await post.stop()
    }
}
