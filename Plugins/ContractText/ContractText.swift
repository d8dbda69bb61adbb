import Foundation
import PackagePlugin

/// Writes the doc comments of the contract into a Swift file of the server, which uses them as descriptions in the
/// OpenAPI document. Each description is therefore written once, beside its property.
@main
struct ContractText: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let sources = ["AppStoreTypes", "TillTypes", "TillControl"].map {
            context.package.directoryURL.appending(path: "Sources").appending(path: $0)
        }
        let files = sources.flatMap { folder in
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        }
        .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "ContractText.swift")
        return [
            .buildCommand(
                displayName: "Reading the descriptions of the contract",
                executable: try context.tool(named: "till-contract-text").url,
                arguments: [output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output]
            )
        ]
    }
}
