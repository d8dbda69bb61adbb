import Foundation
import TillJSON

/// Options in a JSON file, such as `{"key": "AuthKey_2X9R4HXF34.p8", "issuer": "…", "bundle": "com.example.shop"}`.
struct AppleProfile {
    private static let keys = ["environment", "url", "key", "keyId", "issuer", "bundle"]

    /// The home folder as shells know it, which may differ from that of the user database.
    private static var home: String {
        let variable = ProcessInfo.processInfo.environment["HOME"] ?? ""
        return variable.isEmpty ? FileManager.default.homeDirectoryForCurrentUser.path : variable
    }

    /// The path of the file, for messages.
    let path: String
    private let values: [String: String]

    /// - Parameter named: the file; nil for the default file, which may be missing.
    init(_ named: String?) throws {
        path = named ?? "\(Self.home)/.config/till/apple.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            guard let named else {
                values = [:]
                return
            }
            throw CommandRefused("\(named) cannot be read.")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        guard mode & 0o002 == 0 else {
            // A user who can write it can have tokens sent to another server.
            throw CommandRefused("\(path) can be written by every user. Run chmod o-w \(path).", code: "bad_profile")
        }
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(Array(data))
        } catch {
            // An excerpt could contain a private key, if the wrong file was named.
            throw CommandRefused("\(path): \(error.withoutExcerpt.description)", code: "bad_profile")
        }
        guard case .object(let members) = tree else {
            throw CommandRefused("\(path): expected an object, found \(tree.kind).", code: "bad_profile")
        }
        let known = Self.keys.joined(separator: ", ")
        var values: [String: String] = [:]
        for member in members {
            guard Self.keys.contains(member.key) else {
                let message = "\(path) has the key \(JSONTree.short(member.key)), which is unknown. Keys: \(known)."
                throw CommandRefused(message, code: "bad_profile")
            }
            guard case .string(let text) = member.value else {
                throw CommandRefused("\(path): \(member.key) must be a string.", code: "bad_profile")
            }
            if !text.isEmpty { values[member.key] = text }
        }
        self.values = values
    }

    subscript(key: String) -> String? { values[key] }

    /// A path in the file. A relative path begins at the folder of the file.
    func path(at key: String) -> String? {
        guard let text = values[key] else { return nil }
        if text.hasPrefix("~/") { return Self.home + text.dropFirst() }
        return URL(fileURLWithPath: text, relativeTo: URL(fileURLWithPath: path)).path
    }
}
