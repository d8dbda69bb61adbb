import Foundation

/// The server to which a webhook connection leads.
struct WebhookOrigin: Hashable, Sendable, CustomStringConvertible {
    let isSecure: Bool
    /// The host without brackets.
    let host: String
    let port: Int

    /// The host as in a URL, with brackets around an IPv6 address.
    private var hostText: String { host.contains(":") ? "[\(host)]" : host }

    /// The value of the `Host` header field: the host, and the port unless it is the default port of the scheme.
    var authority: String { port == (isSecure ? 443 : 80) ? hostText : description }

    /// Host and port: the only parts of a URL that may be logged.
    var description: String { "\(hostText):\(port)" }
}

/// A parsed http or https URL to post to.
struct WebhookTarget: Hashable, Sendable {
    let origin: WebhookOrigin
    /// The path with its query, percent-encoded.
    let path: String

    /// Parses a URL; nil unless it is http or https with a host.
    init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        let url = url.absoluteURL
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let bracketed = parts.encodedHost?.lowercased(), !bracketed.isEmpty
        else { return nil }
        let isSecure = scheme == "https"
        let port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        let host = bracketed.hasPrefix("[") ? String(bracketed.dropFirst().dropLast()) : bracketed
        origin = WebhookOrigin(isSecure: isSecure, host: host, port: port)
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.path = parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// The target of a redirect; nil if its Location is missing or invalid.
    func redirected(to location: String) -> WebhookTarget? {
        let base = URL(string: "\(origin.isSecure ? "https" : "http")://\(origin)\(path)")
        return URL(string: location, relativeTo: base).flatMap(WebhookTarget.init)
    }
}
