#if os(Linux)
import Foundation
import TillShop

/// Changes `JAVA_TOOL_OPTIONS`, whose options every JVM applies when it starts.
enum JavaOptions {
    private static let name = "JAVA_TOOL_OPTIONS"

    /// Appends an option, unless the user has already set an option with this prefix.
    static func add(_ option: String, unless prefix: String, to environment: inout [String: String]) {
        let present = environment[name] ?? ""
        guard !present.contains(prefix) else { return }
        environment[name] = present.isEmpty ? option : "\(present) \(option)"
    }

    /// Adds options for a proxy on this machine, because no JVM reads `HTTPS_PROXY`.
    ///
    /// - Parameter exceptions: the hosts that the JVM reaches directly, in the format of `NO_PROXY`.
    static func addProxy(port: Int, except exceptions: String, to environment: inout [String: String]) {
        guard !(environment[name] ?? "").contains("-Dhttps.proxyHost=") else { return }
        let hosts = exceptions.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.flatMap { host in
            // A domain matches all names in it. Java writes an IPv6 address in brackets.
            if host.hasPrefix(".") { return ["*\(host)"] }
            if host.contains(":") { return ["[\(host)]"] }
            return host.contains(where: \.isLetter) ? ["\(host)", "*.\(host)"] : ["\(host)"]
        }
        // Java uses the list of http.nonProxyHosts for HTTPS, too.
        let options = [
            "-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=\(port)",
            JavaTrust.quoted("-Dhttp.nonProxyHosts=\(hosts.joined(separator: "|"))"),
        ]
        for option in options { add(option, unless: String(option.prefix { $0 != "=" }) + "=", to: &environment) }
    }
}
#endif
