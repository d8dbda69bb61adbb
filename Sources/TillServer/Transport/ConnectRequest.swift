/// A request to the proxy, parsed.
enum ConnectRequest: Equatable {
    /// The request for a tunnel to one of the App Store's host names.
    case tunnel
    /// A request to refuse, with the status and the message of the answer.
    case refused(Int, String)

    /// Parses a complete request head, given without the empty line at its end.
    init(head: String) {
        let line = head.prefix { $0 != "\r\n" && $0 != "\n" && $0 != "\r" }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), !words[0].isEmpty else {
            self = .refused(400, "This is not an HTTP/1.1 request.")
            return
        }
        guard words[0] == "CONNECT" else {
            self = .refused(403, "This proxy accepts only CONNECT, for the App Store's names on port 443.")
            return
        }
        let hosts = head.split(whereSeparator: \.isNewline).dropFirst().count { $0.lowercased().hasPrefix("host:") }
        guard hosts <= 1 else {
            self = .refused(400, "The request has \(hosts) Host fields. Send one.")
            return
        }
        guard let target = RequestAuthority(String(words[1])), let port = target.port else {
            self = .refused(400, "CONNECT needs a host and a port, such as \(AppStoreHost.production.rawValue):443.")
            return
        }
        let host = target.name
        guard AppStoreHost(rawValue: host) != nil else {
            let names = AppStoreHost.allCases.map(\.rawValue).joined(separator: ", ")
            self = .refused(
                403,
                "This proxy forwards only the App Store's names (\(names)), not \(host.prefix(253)). "
                    + "List other hosts in NO_PROXY."
            )
            return
        }
        self = port == 443 ? .tunnel : .refused(403, "This proxy forwards only port 443, not \(port).")
    }

    /// The bytes of an answer to a client.
    static func answer(_ status: Int, _ sentence: String) -> String {
        let phrases = [
            400: "Bad Request", 403: "Forbidden", 431: "Request Header Fields Too Large", 502: "Bad Gateway",
            503: "Service Unavailable",
        ]
        let body = sentence + "\n"
        return "HTTP/1.1 \(status) \(phrases[status] ?? "Refused")\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
}
