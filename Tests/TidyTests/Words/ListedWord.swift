import Foundation

/// A word from the list in Tests/Fixtures/words, with its standard replacement.
struct ListedWord: Sendable {
    /// The kinds of names in which a word is looked for. The head of the list explains each kind.
    enum Scope: String {
        case names
        case types
        case type
        case `func`
        case start
        case text
        case nowhere = "-"
    }

    static let path = "Tests/Fixtures/words/standard-words.txt"

    /// A word, several words that follow each other in a name, or a text.
    let word: String
    let replacement: String
    let scope: Scope
    /// The reason for a narrow scope; may be empty.
    let reason: String
    /// The words that must follow each other in a name.
    let parts: [String]

    /// Reads a row of the list: `word | write instead | where | why`. Nil if the row has another form.
    init?(row: Substring) {
        let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard cells.count == 4, !cells[0].isEmpty, !cells[1].isEmpty, let scope = Scope(rawValue: cells[2]) else {
            return nil
        }
        (word, replacement, reason) = (cells[0], cells[1], cells[3])
        self.scope = scope
        parts = Self.parts(of: cells[0])
    }

    /// Whether the name is of a kind in which the word is looked for, and contains it.
    func isIn(_ name: FoundName) -> Bool {
        switch scope {
        case .names: name.kind != .type && name.kind != .function && contains(name.parts)
        case .types: name.kind == .type && contains(name.parts)
        case .type: name.kind == .type && name.parts == parts
        case .func: name.kind == .function && name.parts == parts
        case .start: name.kind == .identifier && name.parts.count > parts.count && name.parts.starts(with: parts)
        case .text, .nowhere: false
        }
    }

    private func contains(_ others: [String]) -> Bool {
        guard others.count >= parts.count else { return false }
        return (0...(others.count - parts.count)).contains { others[$0...].starts(with: parts) }
    }

    /// The words in a name, in lower case. `HTTPStage`, `http_stage` and `http-stage` have the same words.
    static func parts(of name: String) -> [String] {
        let bytes = Array(name.utf8)
        var parts: [String] = []
        var part: [UInt8] = []
        func isLower(_ index: Int) -> Bool { bytes.indices.contains(index) && (97...122).contains(bytes[index]) }
        func isUpper(_ index: Int) -> Bool { bytes.indices.contains(index) && (65...90).contains(bytes[index]) }
        func end() {
            if !part.isEmpty { parts.append(String(decoding: part, as: UTF8.self)) }
            part = []
        }
        for index in bytes.indices {
            if isUpper(index) {
                // A capital letter begins a word if it follows a small letter, or if it is the last of several capitals
                // before a small letter.
                if isLower(index - 1) || isLower(index + 1) { end() }
                part.append(bytes[index] + 32)
            } else if isLower(index) {
                part.append(bytes[index])
            } else {
                end()
            }
        }
        end()
        return parts
    }
}
