import ArgumentParser
import Foundation
import TillControl
import TillShop

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "Imports an Xcode .storekit file as an app's catalog.",
        name: "import",
        examples: "till import Shop.storekit --app com.example.app",
        notes: "An app that does not exist is created. A later import updates the catalog, but not past purchases. "
            + "Products that the file lacks are removed from sale."
    )

    @Argument(help: "The .storekit file.")
    var file: String
    @Option(help: "The bundle identifier (default: the only app).")
    var app: String?
    @OptionGroup var server: ServerOptions

    func run() async throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandRefused("\(file) cannot be read.")
        }
        let client = try server.client()
        if let app, try await !client.send(ListApps()).contains(where: { $0.bundleId == app }) {
            try check(Array(data))
            _ = try await client.send(CreateApp(bundleId: app))
        }
        let bundleID = try await ScopeOptions.bundleID(app, client)
        let outcome = try await client.upload(ImportStoreKitFile(bundleId: bundleID), Array(data))
        try server.show(outcome) { "Imported for \(bundleID).\n\(try Output.lines(of: $0))" }
    }

    /// Checks the file before the app is created, so that a refused file leaves no app behind.
    private func check(_ bytes: [UInt8]) throws {
        do {
            _ = try StoreKitFile.read(bytes)
        } catch {
            throw CommandRefused(error.description)
        }
    }
}
