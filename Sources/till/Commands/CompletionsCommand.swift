import ArgumentParser

struct CompletionsCommand: DocumentedCommand {
    static let summary = "Prints a script that completes commands and flags in a shell."
    static let examples = """
        till completions bash > ~/.local/share/bash-completion/completions/till
        till completions zsh > /usr/local/share/zsh/site-functions/_till
        till completions fish > ~/.config/fish/completions/till.fish
        """

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() {
        if let shell = CompletionShell(rawValue: shell.rawValue) { print(Till.completionScript(for: shell)) }
    }
}

/// Checks arguments without running the command, so that a test can check the examples in help texts.
struct CheckArguments: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "check-arguments", shouldDisplay: false)

    @Argument(parsing: .postTerminator)
    var arguments: [String] = []

    func run() throws {
        try CommandWords.check(arguments)
        _ = try Till.parseAsRoot(arguments)
    }
}
