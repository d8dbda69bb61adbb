import Foundation
import Testing
import TillTesting

/// The file in which the test writes its process id and the URL of the server; nil to skip the test.
private let ownerFile = ProcessInfo.processInfo.environment["OUTSIDE_OWNER_FILE"]

/// Waits until the test of this package kills the process, whose server must then end, too.
@Suite(.enabled(if: ownerFile != nil), .till(catalog: "Shop.storekit"))
struct KilledOwnerTests {
    @Test("The process waits to be killed")
    func waits() async throws {
        let file = try #require(ownerFile)
        let text = "\(ProcessInfo.processInfo.processIdentifier) \(try Till.app.control.url)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try await Task.sleep(for: .seconds(600))
    }
}
