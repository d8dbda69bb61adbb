import ArgumentParser
import Foundation
import TillControl
import TillCore
import TillJSON
import TillShop

struct KeyCommand: DocumentedCommand {
    static let summary = "Creates, lists and deletes API keys."
    static var subcommands: Subcommands { [Create.self, List.self, Delete.self] }

    struct Create: DocumentedCommand {
        static let summary = "Creates a key and writes its private key to a file. Till keeps no copy."
        static let examples = "till key create --name backend --out ./keys"

        @Option(help: "A name for the key, such as its purpose.")
        var name: String?
        @Option(help: "The issuer id of the team; required if there are several teams.")
        var issuer: String?
        @Option(help: "The app with which the key is deleted. The key is valid for all apps of the team.")
        var app: String?
        @Option(
            help: "The folder for the file, which is created if necessary (default: the current folder).",
            completion: .directory
        )
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
            let key = try await server.client().send(CreateKey(name: name, issuerId: issuer, bundleId: app))
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

    struct List: SendingCommand {
        static let summary = "Lists the keys."
        static let examples = "till key list"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListKeys { ListKeys() }
    }

    struct Delete: SendingCommand, DestructiveCommand {
        static let summary = "Revokes a key permanently. Requests that it signs are refused."
        static let examples = """
            till key delete 2X9R4HXF34 --yes
            till key delete 9D1F02C4 --app com.example.app --yes
            """

        @Argument(help: "The key id.")
        var keyID: String
        @Option(help: "The app whose offers the key signs; required if several apps have a key with this id.")
        var app: String?
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> RevokeKey { RevokeKey(keyId: keyID, bundleId: app) }

        func loss(_ client: ControlClient) -> String { "Revoke the key \(keyID) permanently" }

        func heading(_ key: KeyInfo) -> String? { "The key \(key.keyId) is revoked." }
    }
}

extension KeyInfo: TableRow {
    static let headings = ["KEY", "NAME", "TEAM (ISSUER ID)", "OFFERS OF", "REVOKED"]
    static let empty = "No keys. Create one: till key create"
    var cells: [String?] { [keyId, name, issuerId, offersOf ?? "-", revokedDate?.iso8601 ?? "-"] }
}
