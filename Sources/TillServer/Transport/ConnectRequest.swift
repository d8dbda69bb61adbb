/// A parsed request to the proxy.
enum ConnectRequest: Equatable {
    /// Open a tunnel to one of the App Store's names.
    case tunnel
    /// Refuse with this status and message.
    case refused(Int, String)

    /// Parses a complete head, without the empty line at its end.
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
                "This proxy of Till leads to the App Store's names only (\(names)), not to \(host.prefix(253)). "
                    + "Name other hosts in NO_PROXY."
            )
            return
        }
        self = port == 443 ? .tunnel : .refused(403, "This proxy leads to port 443 only, not to \(port).")
    }

    /// The bytes of an answer.
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
