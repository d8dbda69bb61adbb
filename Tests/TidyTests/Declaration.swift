/// A declaration with an access level that other modules see: `package static func sell(…)`.
struct Declaration {
    static let access: Set = ["package", "public", "open"]
    static let modifiers: Set = [
        "static", "final", "mutating", "nonmutating", "lazy", "indirect", "convenience", "required", "override", "weak",
        "unowned", "dynamic", "nonisolated", "borrowing", "consuming", "private", "fileprivate", "internal",
    ]
    static let kinds: Set = [
        "func", "var", "let", "struct", "enum", "actor", "class", "protocol", "init", "subscript", "typealias",
    ]

    /// The keyword of the declaration, such as `func`.
    let kind: String
    /// The name, or the characters of an operator; "" for an initializer or a subscript.
    let name: String
    /// The label of the first parameter; its name if it has no label; "" if there are no parameters.
    let label: String
    let isOverride: Bool

    /// Reads the declaration whose access level is the token at an index. Nil for an extension, an import, the access
    /// level of a setter, and a `package` that is not an access level.
    init?(accessLevelAt index: Int, in file: SourceFile) {
        guard Self.access.contains(file.text(index)), file.text(index + 1) != "(" else { return nil }
        guard ![".", "@"].contains(file.text(index - 1)) else { return nil }
        var keyword = index + 1
        var isOverride = false
        while let next = Self.endOfModifier(at: keyword, in: file) {
            isOverride = isOverride || file.text(keyword) == "override"
            keyword = next
        }
        guard Self.kinds.contains(file.text(keyword)) else { return nil }
        self.init(keywordAt: keyword, in: file, isOverride: isOverride)
    }

    /// Reads the declaration whose keyword is the token at an index.
    init(keywordAt keyword: Int, in file: SourceFile, isOverride: Bool = false) {
        kind = file.text(keyword)
        self.isOverride = isOverride
        let rest = file.tokens[(keyword + 1)...].prefix(8).map(\.text)
        let nameTokens = rest.first == "(" ? [] : rest.prefix { $0 != "(" && $0 != ":" && $0 != "{" }
        let isOperator = !file.tokens[min(keyword + 1, file.tokens.count - 1)].isWord
        name = isOperator ? nameTokens.joined() : nameTokens.first ?? ""
        label = rest.drop { $0 != "(" }.dropFirst().first { $0 != ")" } ?? ""
    }

    /// True for a member that a protocol of the standard library requires and documents.
    var isStandardWitness: Bool {
        switch (kind, name, label) {
        case ("init", _, "from"), ("func", "encode", "to"), ("func", "hash", "into"): true
        case ("func", "==", _), ("func", "<", _), ("var", "description", _), ("var", "debugDescription", _): true
        default: false
        }
    }

    /// The index of the token after the modifier or attribute at an index; nil if there is no modifier or attribute.
    private static func endOfModifier(at index: Int, in file: SourceFile) -> Int? {
        let word = file.text(index)
        if word == "@" { return afterParentheses(index + 2, in: file) }
        let isClassMember = word == "class" && ["func", "var", "let", "subscript"].contains(file.text(index + 1))
        guard isClassMember || modifiers.contains(word) || access.contains(word) else { return nil }
        return afterParentheses(index + 1, in: file)
    }

    private static func afterParentheses(_ index: Int, in file: SourceFile) -> Int {
        guard file.text(index) == "(" else { return index }
        var end = index
        var depth = 0
        repeat {
            depth += file.text(end) == "(" ? 1 : file.text(end) == ")" ? -1 : 0
            end += 1
        } while depth > 0 && end < file.tokens.count
        return end
    }

    /// The index of the first modifier or attribute of a declaration; the index itself if there is none.
    static func start(before index: Int, in file: SourceFile) -> Int {
        var start = index
        while start > 0 {
            let name = beforeParentheses(start - 1, in: file)
            if file.text(name - 1) == "@" {
                start = name - 1
            } else if modifiers.contains(file.text(name)) || access.contains(file.text(name)) {
                start = name
            } else {
                return start
            }
        }
        return start
    }

    private static func beforeParentheses(_ index: Int, in file: SourceFile) -> Int {
        guard file.text(index) == ")" else { return index }
        var start = index
        var depth = 0
        repeat {
            depth += file.text(start) == ")" ? 1 : file.text(start) == "(" ? -1 : 0
            start -= 1
        } while depth > 0 && start > 0
        return start
    }
}
