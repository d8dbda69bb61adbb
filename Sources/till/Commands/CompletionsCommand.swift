import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Prints a script that completes commands and flags in a shell.",
        name: "completions",
        examples: """
            till completions bash > ~/.local/share/bash-completion/completions/till
            till completions zsh > /usr/local/share/zsh/site-functions/_till
            till completions fish > ~/.config/fish/completions/till.fish
            """
    )

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish

        var script: String {
            switch self {
            case .bash: Till.completionScript(for: .bash)
            case .zsh: Till.completionScript(for: .zsh)
            case .fish: Till.completionScript(for: .fish)
            }
        }
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() { print(shell.script) }
}
