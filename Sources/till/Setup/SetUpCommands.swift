import ArgumentParser
import Foundation
import TillControl
import TillJSON
import TillShop

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Creates and lists apps.",
        discussion: "till app create com.example.app --apple-id 1234567890",
        subcommands: [Create.self, List.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an app, and a team if there is none.",
            discussion: "till app create com.example.app --apple-id 1234567890 --name 'My app'"
        )

        @Argument(help: "The bundle identifier.")
        var bundleID: String
        @Option(help: "The app's Apple ID (default: the next free one).")
        var appleID: Int64?
        @Option(help: "The app's name.")
        var name: String?
        @Option(help: "The issuer id of the app's team; required if there are several teams.")
        var issuer: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let request = CreateApp(bundleId: bundleID, appAppleId: appleID, name: name, issuerId: issuer)
            try await server.show(answerTo: request)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the apps.",
            discussion: "till app list --json"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: ListApps()) { try Output.lines(of: ["apps": $0]) }
        }
    }
}

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Creates, lists and revokes API keys.",
        discussion: """
            till key create                 writes AuthKey_….p8; Till keeps no copy
            till key revoke 2X9R4HXF34
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a key and writes its private key to a file. Till keeps no copy.",
            discussion: "till key create --name backend --out ./keys"
        )

        @Option(help: "A name for the key, such as its purpose.")
        var name: String?
        @Option(help: "The issuer id of the team; required if there are several teams.")
        var issuer: String?
        @Option(help: "The folder for the file, which is created if necessary (default: the current folder).")
        var out: String = "."
        @OptionGroup var server: ServerOptions

        func run() async throws {
            // The folder is checked before the key is created, because the server returns the private key only once.
            if !FileManager.default.fileExists(atPath: out) {
                try? FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            }
            guard FileManager.default.isWritableFile(atPath: out) else {
                throw CommandRefused(
                    "\(out) cannot be written, so the key would be lost. Give another folder with --out.",
                    code: "cannot_write"
                )
            }
            let key = try await server.client().send(CreateKey(name: name, issuerId: issuer))
            let file = "\(out)/AuthKey_\(key.keyId).p8"
            try DataDirectory.write(key.privateKey ?? "", to: file)
            let shown = JSONTree.members([
                "keyId": .string(key.keyId), "issuerId": .string(key.issuerId), "file": .string(file),
            ])
            Output.show(shown, asJSON: server.json) {
                Output.lines($0) + "\n\nThe file is the only copy of the private key."
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys.",
            discussion: "till key list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: ListKeys()) { try Output.lines(of: ["keys": $0]) }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a key permanently.",
            discussion: """
                till key revoke 2X9R4HXF34
                till key revoke 9D1F02C4 --app com.example.app
                """
        )

        @Argument(help: "The key id.")
        var keyID: String
        @Option(help: "The app whose offers the key signs; required if several apps have a key with this id.")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: RevokeKey(keyId: keyID, bundleId: app))
        }
    }
}

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports an Xcode .storekit file as an app's catalog.",
        discussion: """
            till import Shop.storekit --app com.example.app

            An app that does not exist is created. A later import updates the catalog, but not past purchases. Products
            that the file lacks are removed from sale.
            """
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
