import ArgumentParser

/// Checks the words that name a command before the parser reads the arguments, because the parser suggests nothing for
/// an unknown command.
enum CommandWords {
    /// Commands of version 0.1.0 that have another name now.
    private static let retired = [
        ("ask-to-buy on", "customer update NAME --ask-to-buy on"),
        ("ask-to-buy off", "customer update NAME --ask-to-buy off"), ("ask-to-buy", "customer update --ask-to-buy"),
        ("ca ocsp set", "ca ocsp update"), ("clock set", "clock freeze"),
        ("customer clock", "customer update NAME --clock CLOCK"), ("customer erase", "customer delete"),
        ("endpoint remove", "endpoint delete"), ("endpoint set", "endpoint create"), ("export-state", "state export"),
        ("extend", "subscription extend, or for all subscribers till product extend"), ("fault add", "fault create"),
        ("fault remove", "fault delete"), ("import-state", "state import"), ("key revoke", "key delete"),
        ("notifications", "notification"), ("notify", "notification send"), ("price raise", "product raise-price"),
        ("price", "product raise-price"), ("product remove", "product update ID --for-sale false"),
        ("product restore", "product update ID --for-sale true"), ("prune", "notification delete"),
        ("rules", "settings"), ("secret remove", "secret delete"), ("settings set", "settings update"),
        ("snapshot remove", "snapshot delete"), ("snapshot save", "snapshot create"), ("token revoke", "token delete"),
    ]

    /// Words of other tools.
    private static let synonyms = [
        "add": "create", "new": "create", "edit": "update", "set": "update", "change": "update", "get": "show",
        "info": "show", "view": "show", "ls": "list", "all": "list", "remove": "delete", "rm": "delete",
        "erase": "delete", "revoke": "delete", "destroy": "delete",
    ]

    /// - Throws: `ValidationError` for a retired command, with the new one, and for an unknown one, with a suggestion.
    static func check(_ arguments: [String]) throws {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        for (old, new) in retired {
            let old = old.split(separator: " ").map(String.init)
            guard words.starts(with: old) else { continue }
            throw ValidationError("till \(old.joined(separator: " ")) is till \(new) now.")
        }
        var command: any ParsableCommand.Type = Till.self
        var path = "till"
        for word in words {
            let known = command.configuration.subcommands
            if known.isEmpty || word == "help" { return }
            if let next = known.first(where: { $0._commandName == word }) {
                command = next
                path += " \(word)"
                continue
            }
            let names = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            let near = suggestion(for: word, names)
            // The word can be an argument of the default command.
            if command.configuration.defaultSubcommand != nil, near == nil { return }
            let advice = near.map { "Did you mean \(path) \($0)?" } ?? "Commands: \(names.joined(separator: ", "))."
            throw ValidationError("There is no command \(path) \(word.prefix(64)). \(advice)")
        }
    }

    private static func suggestion(for word: String, _ names: [String]) -> String? {
        // A member who is removed from a family leaves it.
        if synonyms[word] == "delete", names.contains("leave") { return "leave" }
        if let name = synonyms[word], names.contains(name) { return name }
        let near = names.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= max(1, min(word.count, near.0.count) / 3) else { return nil }
        return near.0
    }

    /// This command with its arguments, for the page that starts after a position.
    static func repeated(after position: String, _ arguments: [String] = CommandLine.arguments) -> String {
        var words: [String] = []
        var isPosition = false
        for word in arguments.dropFirst() {
            if !isPosition, word != "--after", !word.hasPrefix("--after=") { words.append(word) }
            isPosition = word == "--after"
        }
        let isPlain = /[A-Za-z0-9_.,:\/@%+=-]+/
        let quoted = (words + ["--after", position]).map {
            $0.wholeMatch(of: isPlain) == nil ? "'\($0.replacing("'", with: "'\\''"))'" : $0
        }
        return (["till"] + quoted).joined(separator: " ")
    }

    /// The number of letters to insert, delete, replace or swap to get from one word to the other.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.prefix(64)), Array(second.prefix(64)))
        var before: [Int] = []
        var row = Array(0...second.count)
        for (place, letter) in first.enumerated() {
            var next = [place + 1]
            for (column, other) in second.enumerated() {
                var best = min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1)
                if place > 0, column > 0, letter == second[column - 1], other == first[place - 1] {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}

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
