import CPostgres

/// The address of a database in libpq's syntax: `postgres://user:password@host:port/name?sslmode=verify-full`.
///
/// The text may contain a password, so it is never printed. Print `description` instead, and apply `redacted` to
/// messages of the server.
package struct DatabaseURL: Sendable, CustomStringConvertible {
    let text: String
    /// The hosts, ports and the database name, without the user and the password.
    package let description: String
    /// The parameters that select each server, if the URL names several; empty if the URL names at most one server.
    let hosts: [[Parameter]]
    /// The connection time-out; nil if the URL contains none.
    let connectTimeout: Duration?
    private let secrets: [String]

    /// Parses a URL.
    ///
    /// - Throws: `PostgresRefused.badURL` with a reason that contains no part of the URL. `PostgresRefused.noLibrary`
    ///   if libpq is not installed.
    package init(_ text: String) throws {
        if let reason = till_libpq_load() { throw PostgresRefused.noLibrary(String(cString: reason)) }
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            throw PostgresRefused.badURL("it must begin with postgres://")
        }
        // If a password contains `@`, `/` or `?` unescaped, libpq would treat its rest as a host and show it in an
        // error message.
        let rest = text.drop { $0 != "/" }.dropFirst(2)
        let authority = rest.prefix { !"/?".contains($0) }
        let marks = rest.count { $0 == "@" }
        guard marks == 0 || (marks == 1 && authority.contains("@")) else {
            throw PostgresRefused.badURL("write @, / and ? of a password as %40, %2F and %3F")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            PQfreemem(message)
            throw PostgresRefused.badURL(
                "it must have the form postgres://user:password@host:port/name?sslmode=verify-full"
            )
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.text = text
        secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
        hosts = Self.hosts(values)
        connectTimeout = values["connect_timeout"].flatMap { Int64($0) }.map { .seconds(max(2, $0)) }
        let host = values["host"] ?? values["hostaddr"] ?? "the local socket"
        let port = values["port"].map { ":" + $0 } ?? ""
        description = "\(host)\(port)/\(values["dbname"] ?? "")"
    }

    /// A parameter of libpq.
    typealias Parameter = (name: String, value: String)

    private static func hosts(_ values: [String: String]) -> [[Parameter]] {
        let lists = ["host", "hostaddr", "port"].compactMap { name in
            values[name].map { (name, $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)) }
        }
        let count = lists.filter { $0.0 != "port" }.map(\.1.count).max() ?? 0
        guard count > 1 else { return [] }
        // A single port applies to all hosts.
        return (0..<count).map { place in
            lists.map { name, list in (name, list.count == 1 ? list[0] : place < list.count ? list[place] : "") }
        }
    }

    /// The message with the password removed.
    func redacted(_ message: String) -> String {
        secrets.reduce(message) { $0.replacing($1, with: "…") }
    }
}
