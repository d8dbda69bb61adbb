import Foundation
import Testing
import TillTesting

/// Waits until the test of this package kills the process, whose server must then end, too.
@Suite(.enabled(if: KilledOwnerTests.file != nil), .till(catalog: "Shop.storekit"))
struct KilledOwnerTests {
    static let file = ProcessInfo.processInfo.environment["OUTSIDE_OWNER_FILE"]

    @Test("The process waits to be killed")
    func waits() async throws {
        let file = try #require(Self.file)
        let text = "\(ProcessInfo.processInfo.processIdentifier) \(try Till.app.control.url)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try await Task.sleep(for: .seconds(600))
    }
}
