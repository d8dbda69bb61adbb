import ArgumentParser
import Foundation
import TillControl
import TillShop

struct ImportCommand: DocumentedCommand {
    static let summary = "Imports an Xcode .storekit file as an app's catalog."
    static let examples = "till import Shop.storekit --app com.example.app"
    static let notes =
        "An app that does not exist is created. A later import updates the catalog, but not past purchases. "
        + "Products that the file lacks are removed from sale."

    @Argument(help: "The .storekit file.", completion: .file())
    var file: String
    @OptionGroup var options: AppOptions

    func run() async throws {
        guard let data = FileManager.default.contents(atPath: file).map({ Array($0) }) else {
            throw CommandRefused("\(file) cannot be read.")
        }
        let client = try options.server.client()
        if let app = options.app, try await !client.send(ListApps()).contains(where: { $0.bundleId == app }) {
            // The file is checked before the app is created, so that a refused file leaves no app behind.
            do {
                _ = try StoreKitFile.read(data)
            } catch {
                throw CommandRefused(error.description)
            }
            _ = try await client.send(CreateApp(bundleId: app))
        }
        let bundleID = try await options.connect()
        let outcome = try await client.upload(ImportStoreKitFile(bundleId: bundleID), data)
        try options.server.show(outcome) { "Imported for \(bundleID).\n\(try Output.lines(of: $0))" }
    }
}
