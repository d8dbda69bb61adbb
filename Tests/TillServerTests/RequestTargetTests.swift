import HTTPTypes
import NIOHTTP1
import Testing

@testable import TillServer

/// Checks the strict parsing of the host in a request.
@Suite("The authority of a request")
struct RequestTargetTests {
    @Test(
        "A host with an optional port is accepted",
        arguments: [
            ("localhost", "localhost", nil), ("LOCALHOST:8890", "localhost", 8_890), ("127.0.0.1:0", "127.0.0.1", 0),
            ("[::1]", "[::1]", nil), ("[2001:DB8::1]:443", "[2001:db8::1]", 443), ("", "", nil), (":", "", nil),
            ("localhost:", "localhost", nil), ("a%20b", "a%20b", nil), ("a.test.", "a.test.", nil),
            ("x:65535", "x", 65_535),
        ] as [(String, String, Int?)]
    )
    func read(text: String, host: String, port: Int?) throws {
        let authority = try #require(RequestAuthority(text))
        #expect(authority.host == host && authority.port == port)
    }

    @Test(
        "Any other text is rejected as malformed",
        arguments: [
            "127.0.0.1:8890@evil.com", "user@localhost", "localhost@evil.example", "localhost:x", "localhost:80:80",
            "localhost:65536", "localhost:-1", "localhost:+1", "[::1", "::1", "[::1]x", "[::1]:x", "[127.0.0.1]", "[]",
            "[::1%25eth0]", "[evil]", "localhost/", "localhost/x", "localhost?x", "localhost#x", "local host",
            "localhost\t", "a%2", "a%zz", "loca\u{212A}host", "localhost\\", "{localhost}",
        ]
    )
    func malformed(text: String) {
        #expect(RequestAuthority(text) == nil)
    }

    // MARK: HTTP/1

    private static func head(
        _ uri: String,
        _ hosts: [String],
        version: HTTPVersion = .http1_1,
        method: HTTPMethod = .POST
    ) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: method, uri: uri, headers: HTTPHeaders(hosts.map { ("hOsT", $0) }))
    }

    @Test(
        "An HTTP/1 request has one Host field, and an absolute target must have the same host",
        arguments: [
            ("/x", ["localhost:8890"], "/x"), ("/x?a=http://evil/", ["localhost"], "/x?a=http://evil/"),
            ("http://localhost:8890/x?y", ["LOCALHOST:8890"], "/x?y"), ("HTTP://localhost", ["localhost:80"], "/"),
            ("https://localhost?x", ["localhost:443"], "/?x"), ("*", ["localhost"], "*"),
            ("//evil/x", ["localhost"], "//evil/x"),
        ] as [(String, [String], String)]
    )
    func accepted(uri: String, hosts: [String], path: String) throws {
        var head = Self.head(uri, hosts)
        try RequestTarget.check(&head)
        #expect(head.uri == path)
    }

    @Test(
        "Any other HTTP/1 request is rejected",
        arguments: [
            ("/x", []), ("/x", ["localhost", "localhost"]), ("/x", ["localhost", "evil"]),
            ("/x", ["127.0.0.1:8890@evil.com"]), ("http://evil.com/x", ["localhost"]),
            ("http://localhost:1/x", ["localhost:2"]), ("http://localhost/x", ["localhost:8890"]),
            ("http://localhost@evil.com/x", ["localhost"]), ("http://127.0.0.1:8890@evil.com/", ["127.0.0.1:8890"]),
            ("https://localhost/x", ["localhost:80"]), ("http:///x", ["localhost"]), ("http://", ["localhost"]),
            ("ftp://localhost/x", ["localhost"]), ("localhost/x", ["localhost"]), ("x", ["localhost"]),
            ("http://localhost\\@evil/", ["localhost"]),
        ] as [(String, [String])]
    )
    func refused(uri: String, hosts: [String]) {
        var head = Self.head(uri, hosts)
        #expect(throws: RequestTarget.Refused.self) { try RequestTarget.check(&head) }
    }

    @Test("Only an HTTP/1.0 request may omit the Host field")
    func without() throws {
        var old = Self.head("/readyz", [], version: .http1_0, method: .GET)
        try RequestTarget.check(&old)
        for version in [HTTPVersion.http1_1, HTTPVersion(major: 1, minor: 2)] {
            var head = Self.head("/readyz", [], version: version, method: .GET)
            #expect(throws: RequestTarget.Refused.self) { try RequestTarget.check(&head) }
        }
    }

    // MARK: HTTP/2

    private static func stream(_ authority: String?, _ hosts: [String], path: String? = "/x") -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: "https", authority: authority, path: path)
        if let name = HTTPField.Name("host") { request.headerFields[values: name] = hosts }
        return request
    }

    @Test("An HTTP/2 request names one authority, in the `:authority` or the `Host` field")
    func streams() throws {
        for (authority, hosts) in [
            ("a.test", []), ("A.test", ["a.TEST"]), ("a.test:1", ["a.test:1"]),
        ] as [(String, [String])] {
            var request = Self.stream(authority, hosts)
            try RequestTarget.check(&request)
            #expect(request.authority == authority)
        }
        var request = Self.stream(nil, ["a.test"])
        try RequestTarget.check(&request)
        #expect(request.authority == "a.test")
        for (authority, hosts) in [
            ("a.test", ["b.test"]), ("a.test", ["a.test", "a.test"]), (nil, ["a.test", "b.test"]), ("a@b.test", []),
            ("a.test", ["a@b.test"]), ("a.test", ["a.test:1"]),
        ] as [(String?, [String])] {
            var request = Self.stream(authority, hosts)
            #expect(throws: RequestTarget.Refused.self) { try RequestTarget.check(&request) }
        }
        var absolute = Self.stream("a.test", [], path: "http://b.test/x")
        #expect(throws: RequestTarget.Refused.self) { try RequestTarget.check(&absolute) }
    }
}
