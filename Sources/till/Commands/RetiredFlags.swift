import ArgumentParser

/// Flags and environment variables of version 0.1.0 that have another name now. The command refuses an old name with
/// the new one.
enum RetiredFlags {
    private static let flags = [
        "--realm": "--environment", "--weather": "--payload-profile",
        "--journal-length": "--request-log-length", "--journal-all": "--request-log-all",
        "--journal-bodies": "--request-log-bodies",
    ]

    /// The environment variable of a flag: `TILL_REALM` for `--realm`.
    private static func variable(of flag: String) -> String {
        "TILL_" + flag.dropFirst(2).replacing("-", with: "_").uppercased()
    }

    /// - Throws: `ValidationError` for an old name in the arguments or in the environment.
    static func refuse(in arguments: some Sequence<String>, _ environment: [String: String]) throws {
        for argument in arguments {
            let flag = String(argument.prefix { $0 != "=" })
            if let new = flags[flag] { throw ValidationError("\(flag) is \(new) now.") }
        }
        for (old, new) in flags.sorted(by: { $0.key < $1.key }) where environment[variable(of: old)]?.isEmpty == false {
            throw ValidationError("The environment variable \(variable(of: old)) is \(variable(of: new)) now.")
        }
    }
}
