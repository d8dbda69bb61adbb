import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct OpenCommand: DocumentedCommand {
    static let summary = "Opens the console of the running server in a browser."
    static let examples = """
        till open
        # prints the address only
        till open --print
        """

    @Flag(name: .customLong("print"), help: "Prints the address, and opens no browser.")
    var onlyPrints = false
    @OptionGroup var server: ServerOptions

    func run() async throws {
        // This fails with the usual message if no server answers.
        _ = try await server.client().send(GetStatus())
        let address = "\(try server.location().address)/console/"
        Output.show(.members(["console": .string(address)]), asJSON: server.json) { _ in address }
        guard !onlyPrints, !server.json else { return }
        #if os(macOS)
        let opener = "open"
        #else
        let opener = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [opener, address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { Terminal.say("till: No browser was opened. Open the address yourself.\n") }
    }
}
