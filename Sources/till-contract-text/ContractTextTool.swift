import Foundation

/// Reads the doc comments of public types, properties and cases, and writes them as a Swift file: a tab between name
/// and text, one declaration a line. The plugin ContractText runs it.
@main
struct ContractTextTool {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let output = arguments.first else { throw UsageError() }
        let lines = try arguments.dropFirst().flatMap { file in
            descriptions(in: try String(contentsOfFile: file, encoding: .utf8))
        }
        let text = """
            /// The doc comments of the contract: the name of a declaration, a tab, and its text.
            enum ContractText {
                static let lines = ##\"""
            \(lines.map { "        " + $0 }.joined(separator: "\n"))
                    \"""##
            }

            """
        try text.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// The declarations with a doc comment in a formatted Swift file. Indentation gives the nesting.
    static func descriptions(in source: String) -> [String] {
        var found: [String] = []
        var types: [(name: String, indent: Int)] = []
        var comment: [String] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            let indent = line.count - text.count
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3).trimmingCharacters(in: .whitespaces))
                continue
            }
            defer { if !text.hasPrefix("@") { comment = [] } }
            if !text.isEmpty { types.removeAll { $0.indent >= indent } }
            guard let (name, isType) = declaration(text) else { continue }
            let path = (types.map(\.name) + [name]).joined(separator: ".")
            let words = comment.prefix { !$0.isEmpty && !$0.hasPrefix("- ") }.joined(separator: " ")
            if !words.isEmpty { found.append("\(path)\t\(words)") }
            if isType { types.append((name, indent)) }
        }
        return found
    }

    /// The name of a declared type, property or case; nil for any other line.
    private static func declaration(_ line: Substring) -> (name: String, isType: Bool)? {
        var words = line.split(separator: " ")[...]
        while let first = words.first, ["public", "static", "indirect"].contains(first) { words = words.dropFirst() }
        guard let keyword = words.first, let next = words.dropFirst().first else { return nil }
        let name = String(next.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        guard !name.isEmpty else { return nil }
        switch keyword {
        case "struct", "enum", "protocol", "extension": return (name, true)
        case "var", "let", "case": return (name, false)
        default: return nil
        }
    }

    struct UsageError: Error {}
}
