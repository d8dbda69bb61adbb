import Foundation

@testable import TillTesting

/// The server of these tests: the program that the package builds, or the one that `TILL_BIN` names.
enum TestedServer {
    static let catalog = root.appending(path: "docs/testing/examples/Shop.storekit").path
    static let program =
        ProcessInfo.processInfo.environment["TILL_BIN"] ?? root.appending(path: ".build/debug/till").path

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let starting = Task { try await start() }

    /// The server that all tests share.
    static func shared() async throws -> Till.Server { try await starting.value }

    /// Starts another server, for tests that other tests would disturb.
    static func start(isTemporary: Bool = true) async throws -> Till.Server {
        let process = try ServerProcess(program: program)
        return try await Till.Server(control: process.ready(), process: isTemporary ? process : nil)
    }

    /// Runs a function with an app of its own on the shared server.
    static func withApp<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await Till.withApp(catalog: catalog, on: shared(), body)
    }
}
