import Foundation
import TillShop

/// `JAVA_TOOL_OPTIONS`, which every JVM reads, whoever starts it.
enum JavaOptions {
    private static let name = "JAVA_TOOL_OPTIONS"

    /// Adds an option behind those that are set. One that begins alike is the user's own choice and stays.
    static func add(_ option: String, unless prefix: String, to environment: inout [String: String]) {
        let present = environment[name] ?? ""
        guard !present.contains(prefix) else { return }
        environment[name] = present.isEmpty ? option : "\(present) \(option)"
    }

    /// Adds the proxy on this machine, because no JVM reads `HTTPS_PROXY`.
    ///
    /// - Parameter exceptions: as `NO_PROXY` has them.
    static func addProxy(port: Int, except exceptions: String, to environment: inout [String: String]) {
        guard !(environment[name] ?? "").contains("-Dhttps.proxyHost=") else { return }
        let hosts = exceptions.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.flatMap { host in
            // A domain stands for all names in it; an IPv6 address has brackets in Java.
            if host.hasPrefix(".") { return ["*\(host)"] }
            if host.contains(":") { return ["[\(host)]"] }
            return host.contains(where: \.isLetter) ? ["\(host)", "*.\(host)"] : ["\(host)"]
        }
        // The same list counts for both schemes.
        let options = [
            "-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=\(port)",
            JavaTrust.quoted("-Dhttp.nonProxyHosts=\(hosts.joined(separator: "|"))"),
        ]
        for option in options { add(option, unless: String(option.prefix { $0 != "=" }) + "=", to: &environment) }
    }
}
