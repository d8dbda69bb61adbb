import HTTPTypes
import NIOHTTP1
import TillShop

/// Finds the authority of a request, or the reason to refuse it with 400 (RFC 9112 §3.2, RFC 9113 §8.3.1).
enum RequestTarget {
    /// Why a request is refused, as a message for the client.
    struct Refused: Error {
        let reason: String
    }

    /// Checks an HTTP/1 request. If its target is an absolute URL, the target becomes a path.
    static func check(_ head: inout HTTPRequestHead) throws(Refused) {
        let hosts = head.headers["Host"]
        guard hosts.count <= 1 else { throw Refused(reason: "The request has \(hosts.count) Host fields. Send one.") }
        guard let host = hosts.first else {
            guard head.version.major == 0 || head.version == .http1_0 else {
                throw Refused(reason: "The request has no Host field. HTTP/1.1 requires one.")
            }
            return
        }
        let authority = try authority(host, of: "Host field")
        guard head.method != .CONNECT, !head.uri.hasPrefix("/"), head.uri != "*" else { return }
        let target = try absolute(head.uri)
        guard target.authority.host == authority.host, target.port == authority.port ?? target.standardPort else {
            throw Refused(reason: "The request target and the Host field have different hosts. Send the same host.")
        }
        head.uri = target.path
    }

    /// Checks an HTTP/2 request. If it has no `:authority`, the `Host` field takes its place.
    static func check(_ head: inout HTTPRequest) throws(Refused) {
        let hosts = head.headerFields[values: .host]
        guard hosts.count <= 1 else { throw Refused(reason: "The request has \(hosts.count) Host fields. Send one.") }
        let host: RequestAuthority? = if let first = hosts.first { try authority(first, of: "Host field") } else { nil }
        if let text = head.authority {
            let authority = try authority(text, of: ":authority field")
            guard host == nil || host == authority else {
                throw Refused(reason: "The Host field and :authority have different hosts. Send the same host.")
            }
        } else {
            head.authority = hosts.first
        }
        if let path = head.path, !path.hasPrefix("/"), path != "*" {
            throw Refused(reason: "The :path field must begin with a slash.")
        }
    }

    private static func authority(_ text: String, of field: String) throws(Refused) -> RequestAuthority {
        guard let authority = RequestAuthority(text) else {
            throw Refused(reason: "The \(field) is not a host with an optional port.")
        }
        return authority
    }

    private struct Absolute {
        let authority: RequestAuthority
        let standardPort: Int
        let path: String

        var port: Int { authority.port ?? standardPort }
    }

    private static func absolute(_ uri: String) throws(Refused) -> Absolute {
        let schemes = [("http://", 80), ("https://", 443)]
        guard let (scheme, port) = schemes.first(where: { uri.prefix($0.0.count).lowercased() == $0.0 }) else {
            throw Refused(reason: "The request target is neither a path nor an http or https URL.")
        }
        let rest = uri.dropFirst(scheme.count)
        let text = rest.prefix { !"/?#".contains($0) }
        let authority = try authority(String(text), of: "target's authority")
        let path = rest.dropFirst(text.count)
        return Absolute(authority: authority, standardPort: port, path: path.hasPrefix("/") ? String(path) : "/\(path)")
    }
}

extension HTTPField.Name {
    fileprivate static let host = field("Host")
}
