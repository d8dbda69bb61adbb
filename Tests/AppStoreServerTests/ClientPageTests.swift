import Foundation
import Testing

@testable import AppStoreServer

/// Compares docs/client/index.md with code that is compiled.
@Suite("The page about the client")
struct ClientPageTests {
    private let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()

    /// The lines of a text, without their indentation.
    private func lines(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    @Test("Every block of code is compiled, by DocumentedCode.swift or DocumentedServer.swift")
    func code() throws {
        let page = try String(contentsOf: folder.appending(path: "../../docs/client/index.md"), encoding: .utf8)
        let files = ["DocumentedCode.swift", "Verification/DocumentedServer.swift"]
        let compiled = lines(
            try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
        )
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(blocks.count >= 9)
        for block in blocks { #expect(compiled.contains(lines(block)), "\(block)") }
    }

    @Test("The transport of the page gives an answer")
    func transport() async throws {
        let client = AppStoreServerClient(
            key: try FakeServer.key(),
            bundleID: "com.example.shop",
            environment: .sandbox,
            transport: DocumentedCode.OneAnswer()
        )
        #expect(try await client.transactionInfo("1").signedTransactionInfo.text == "a.b.c")
    }
}
