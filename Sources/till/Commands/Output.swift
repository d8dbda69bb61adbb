import Foundation
import TillJSON
import TillShop

/// Prints answers: as JSON for scripts, or as indented text for users.
enum Output {
    static func show<Answer: Encodable>(
        _ answer: Answer,
        asJSON: Bool,
        _ text: (Answer) throws -> String
    ) throws {
        let output = try text(answer)
        show(try JSONTree(encoding: answer), asJSON: asJSON) { _ in output }
    }

    static func show(_ tree: JSONTree, asJSON: Bool, _ text: (JSONTree) -> String) {
        print(asJSON ? String(decoding: tree.written(), as: UTF8.self) : text(tree).printableLines)
        // Without this, a pipe or a file gets no output while a command keeps running.
        fflush(nil)
    }

    /// Writes a file, and prints its name.
    static func write(_ data: Data, to file: String, asJSON: Bool, note: String = "") throws {
        guard FileManager.default.createFile(atPath: file, contents: data) else {
            throw CommandRefused("\(file) cannot be written.")
        }
        show(.members(["file": .string(file)]), asJSON: asJSON) { _ in "Wrote \(file).\(note)" }
    }

    /// One value per line, with nested values indented.
    static func lines(of answer: some Encodable) throws -> String { lines(try JSONTree(encoding: answer)) }

    /// One value per line, with nested values indented.
    static func lines(_ tree: JSONTree, indent: String = "") -> String {
        switch tree {
        case .object(let members):
            let width = members.map { $0.key.count }.max() ?? 0
            return members.map { member in
                switch member.value {
                case .object, .array:
                    let inner = lines(member.value, indent: indent + "  ")
                    let key = member.key.printableLine
                    return inner.isEmpty ? "\(indent)\(key)  none" : "\(indent)\(key)\n\(inner)"
                default:
                    let name = member.key.printableLine.padding(toLength: width, withPad: " ", startingAt: 0)
                    return "\(indent)\(name)  \(value(member.key, member.value))"
                }
            }.joined(separator: "\n")
        case .array(let elements):
            return elements.map { element in
                if case .object = element { return lines(element, indent: indent) + "\n" }
                return indent + (element.text ?? "").printableLine
            }.joined(separator: "\n")
        default:
            return indent + (tree.text ?? "").printableLine
        }
    }

    /// The text of a value. Milliseconds are shown as a date, and long signed data is cut.
    private static func value(_ key: String, _ tree: JSONTree) -> String {
        let text = (tree.text ?? "").printableLine
        if key.lowercased().hasSuffix("date") || key.lowercased().hasSuffix("until"), let milliseconds = Double(text) {
            return "\(date(milliseconds))  (\(text))"
        }
        if key.hasPrefix("signed"), text.count > 200 { return "\(text.prefix(24))… (\(text.count) characters)" }
        return text
    }

    static func date(_ milliseconds: Double) -> String {
        Date(timeIntervalSince1970: milliseconds / 1_000).formatted(.iso8601)
    }
}

extension Data {
    /// The DER of a certificate in PEM.
    init?(pem: String) {
        self.init(base64Encoded: pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined())
    }
}

extension String {
    /// The text with a full stop at its end, which messages of other libraries often lack.
    var sentence: String { hasSuffix(".") || hasSuffix("…") ? self : self + "." }

    /// The absolute path of the file at this path.
    var absolutePath: String { URL(fileURLWithPath: self).standardizedFileURL.path }
}
