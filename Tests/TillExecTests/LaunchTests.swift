#if os(Linux)
import Foundation
import Testing

@testable import TillExec

@Suite("till exec starts a program")
struct LaunchTests {
    private static func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Int32 {
        var prepared = try Launch(arguments: arguments, environment: environment, isHelper: true).prepare()
        return await (try prepared.release()).end()
    }

    @Test("The exit code is the exit code of the program, or 128 plus its signal")
    func exitCode() async throws {
        #expect(try await Self.run(["/bin/sh", "-c", "exit 7"]) == 7)
        #expect(try await Self.run(["/bin/sh", "-c", "kill -9 $$"]) == 137)
        #expect(try await Self.run(["/bin/sh", "-c", "exit $CODE"], ["CODE": "3"]) == 3)
    }

    @Test("The last step of a launch reports a program that does not exist")
    func missing() async throws {
        let failed = await #expect(throws: LaunchFailed.self) { _ = try await Self.run(["/nowhere/program"]) }
        #expect(failed?.error == ENOENT)
        #expect(failed?.description.hasPrefix("cannot run the program") == true)
    }

    @Test("A program whose launch is abandoned never runs")
    func abandoned() throws {
        let file = NSTemporaryDirectory() + "till-abandoned-\(UUID().uuidString)"
        var prepared = try Launch(arguments: ["/usr/bin/touch", file], environment: [:], isHelper: true).prepare()
        prepared.abandon()
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A stop ends a running program")
    func stopped() async throws {
        var prepared = try Launch(arguments: ["/bin/sleep", "600"], environment: [:], isHelper: true).prepare()
        let program = try prepared.release()
        #expect(program.exitCode == nil)
        await program.stop()
        #expect(program.exitCode == 128 + SIGTERM)
    }
}
#endif
