import ArgumentParser

/// A command with its help. The parser wraps the help at the width of the terminal, or at 80 columns.
protocol DocumentedCommand: AsyncParsableCommand {
    /// The command's subcommands.
    typealias Subcommands = [any ParsableCommand.Type]

    /// The word on the command line.
    static var word: String? { get }
    /// What the command does, in one line.
    static var summary: String { get }
    /// Lines that can be pasted whole into a shell: commands of at most 76 columns, and comments. For a command with
    /// subcommands, the first example of each.
    static var examples: String { get }
    /// Paragraphs, each on one line.
    static var notes: String { get }
    /// The commands that the next word on the command line selects.
    static var subcommands: Subcommands { get }
    /// The subcommand for a command line without its word.
    static var defaultSubcommand: (any ParsableCommand.Type)? { get }
}

extension DocumentedCommand {
    /// The name of the type in lowercase: `customer` for `CustomerCommand`, and `accept-price` for `AcceptPrice`.
    static var word: String? {
        // The parser's own default, `String(describing:)`, would search all conformances in the program for each type,
        // at each start.
        let name = _typeName(Self.self, qualified: false)
        if name.hasSuffix("Command") { return name.dropLast("Command".count).lowercased() }
        return name.reduce(into: "") { word, letter in
            if letter.isUppercase, !word.isEmpty { word += "-" }
            word += letter.lowercased()
        }
    }

    static var examples: String {
        subcommands.compactMap { command in
            let lines = (command as? any DocumentedCommand.Type)?.examples.split(separator: "\n")
            return lines?.first { !$0.hasPrefix("#") }.map(String.init)
        }.joined(separator: "\n")
    }

    static var notes: String { "" }
    static var subcommands: Subcommands { [] }
    static var defaultSubcommand: (any ParsableCommand.Type)? { nil }

    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: word,
            abstract: summary,
            discussion: CommandConfiguration.discussion(examples, notes),
            subcommands: subcommands,
            defaultSubcommand: defaultSubcommand
        )
    }
}

extension CommandConfiguration {
    /// The examples with their heading, and the notes.
    static func discussion(_ examples: String, _ notes: String) -> String {
        let lines = examples.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "" : "  \($0)"
        }
        return "EXAMPLES:\n\(lines.joined(separator: "\n"))" + (notes.isEmpty ? "" : "\n\n\(notes)")
    }
}

/// Wraps the usage line of a help text, which the parser leaves in one line.
enum UsageLine {
    /// How a usage line begins in a help text, and in an error.
    private static let headings = ["USAGE: ", "Usage: "]

    /// The help text with the usage line wrapped between arguments.
    static func wrapped(in text: String, at width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let heading = headings.first { line.hasPrefix($0) && line.count > width }
            return heading.map { wrapped(line, at: width, $0) } ?? String(line)
        }.joined(separator: "\n")
    }

    private static func wrapped(_ line: Substring, at width: Int, _ heading: String) -> String {
        var lines: [String] = []
        for part in parts(of: line.dropFirst(heading.count)) {
            if let last = lines.last, last.count + 1 + part.count <= width {
                lines[lines.count - 1] = "\(last) \(part)"
            } else {
                lines.append((lines.isEmpty ? heading : String(repeating: " ", count: heading.count)) + part)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The words and the arguments in brackets, such as `[--app <app>]`.
    private static func parts(of text: Substring) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in text.split(separator: " ") {
            if depth > 0 { parts[parts.count - 1] += " \(word)" } else { parts.append(String(word)) }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return parts
    }
}
