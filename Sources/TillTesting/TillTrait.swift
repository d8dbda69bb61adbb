import Foundation
import Testing

/// Gives each test an app of its own; on a suite, each test in it. See `Trait.till(catalog:environment:start:file:)`.
public struct TillTrait: SuiteTrait, TestTrait, TestScoping {
    let catalog: String
    let environment: StoreEnvironment
    let start: String?

    /// True: the trait of a suite applies to each test in it.
    public var isRecursive: Bool { true }

    /// Runs a test with its app.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Till.withApp(catalog: catalog, environment: environment, start: start) { try await function() }
    }
}

extension Trait where Self == TillTrait {
    /// Gives each test an app of its own: `Till.app`, `Till.clock` and `Till.endpoint`.
    ///
    /// All tests of the process share one server; tests that run in parallel do not see each other's data. The server
    /// is the one that `TILL_CONTROL` names (the URL of its control API, with the token `TILL_CONTROL_TOKEN`). Without
    /// this variable it is a new one without data: the program that `TILL_BIN` names, or `till` on the path. It ends
    /// with the process of the tests, also if this process is killed.
    ///
    /// - Parameters:
    ///   - catalog: the path of a `.storekit` file, absolute or relative to the folder of the test's source file.
    ///   - environment: the environment of the app that the test uses; the sandbox by default.
    ///   - start: the time that the clock of the app shows at first, such as `2025-01-31T12:00:00Z`; by default the
    ///     present time.
    ///   - file: the source file of the test.
    public static func till(
        catalog: String,
        environment: StoreEnvironment = .sandbox,
        start: String? = nil,
        file: String = #filePath
    ) -> Self {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        let path = URL(fileURLWithPath: catalog, relativeTo: folder).path
        return TillTrait(catalog: path, environment: environment, start: start)
    }
}
