import ArgumentParser

extension CommandConfiguration {
    /// A command with its help. The parser wraps the help at the width of the terminal, or at 80 columns.
    ///
    /// - Parameters:
    ///   - name: the word on the command line; nil for the name of the type in lowercase.
    ///   - examples: lines that can be pasted whole into a shell: commands of at most 76 columns, and comments.
    ///   - notes: paragraphs, each on one line.
    init(
        _ abstract: String,
        name: String? = nil,
        examples: String,
        notes: String = "",
        subcommands: [any ParsableCommand.Type] = [],
        default defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        self.init(
            commandName: name,
            abstract: abstract,
            discussion: Self.discussion(examples, notes),
            subcommands: subcommands,
            defaultSubcommand: defaultSubcommand
        )
    }

    /// The examples with their heading, and the notes.
    static func discussion(_ examples: String, _ notes: String) -> String {
        let lines = examples.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "" : "  \($0)"
        }
        return "EXAMPLES:\n\(lines.joined(separator: "\n"))" + (notes.isEmpty ? "" : "\n\n\(notes)")
    }
}
