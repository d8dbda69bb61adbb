import ArgumentParser

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
