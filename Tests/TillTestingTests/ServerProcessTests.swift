import Foundation
import Testing
import TillControl

@testable import TillTesting

@Suite("The server of the tests ends with its owner")
struct ServerProcessTests {
    @Test("When the owner's pipe closes, the server ends and its folder is deleted")
    func stop() async throws {
        let process = try ServerProcess(program: TestedServer.program)
        let control = try await process.ready()
        #expect(FileManager.default.fileExists(atPath: "\(process.folder)/log"))
        process.stop()
        try await wait { !FileManager.default.fileExists(atPath: process.folder) }
        // A server that does not run is reported at once, and not when the time of the request is over.
        let error = await #expect(throws: TillTestingError.self) { try await Till.Server(control: control) }
        #expect(error?.description.hasPrefix("No answer from the control API at \(control): ") == true)
    }

    @Test("A program that ends at once is reported with its output")
    func failure() async throws {
        let script = FileManager.default.temporaryDirectory.appending(path: "broken-till-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: script) }
        let text = Data("#!/bin/sh\necho no license >&2\nexit 3\n".utf8)
        #expect(FileManager.default.createFile(atPath: script, contents: text, attributes: [.posixPermissions: 0o700]))
        let process = try ServerProcess(program: script)
        await #expect(throws: TillTestingError("Till did not start: no license\n")) { try await process.ready() }
        try await wait { !FileManager.default.fileExists(atPath: process.folder) }
    }

    @Test("TILL_BIN names the program; without it, the path is searched")
    func program() throws {
        let folder = URL(filePath: TestedServer.program).deletingLastPathComponent().path
        #expect(try ServerProcess.program(["PATH": "/missing:\(folder)"]) == "\(folder)/till")
        #expect(try ServerProcess.program(["TILL_BIN": "/bin/sh", "PATH": folder]) == "/bin/sh")
        let wrong = TillTestingError("TILL_BIN is /missing/till, which is not a program. Name the program till.")
        #expect(throws: wrong) { try ServerProcess.program(["TILL_BIN": "/missing/till", "PATH": folder]) }
        let error = #expect(throws: TillTestingError.self) { try ServerProcess.program(["PATH": "/missing"]) }
        #expect(error?.description.contains("TILL_CONTROL") == true)
    }

    /// Waits until a condition holds.
    private func wait(until condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while !condition() {
            try #require(ContinuousClock.now < end, "it did not happen within 120 s")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
