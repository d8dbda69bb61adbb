import Testing

/// Limits the number of stored properties of a type.
@Suite("Types have few stored properties")
struct StoredPropertyTests {
    static let maxProperties = 12

    /// The modules whose structs are requests, answers and options of commands.
    static let modulesOfData: Set = ["TillControl", "till"]

    /// The protocols of structs that are values: rows, settings, payloads.
    static let protocolsOfData: Set = [
        "Codable", "Decodable", "Encodable", "Equatable", "Hashable", "HeldSubscription",
    ]

    /// Types that may have more, with the reason. The list may only become shorter: an unneeded entry is a finding.
    static let exceptions: [String: String] = [
        "ControlRoute": "each property is an entry in the description of an operation, which is written in one place",
        "RuntimeConfiguration": "the settings of a server",
        "Timeline": "what the drawing of a subscription shows",
        "CustomerLedger": "what the page of a customer shows",
        "NotificationQuery": "the filters of Get Notification History",
        "Ledger": "what a command needs and what it has changed",
    ]

    struct Found {
        let name: String
        let line: Int
        let count: Int
    }

    /// The classes and actors of a file, and its structs that are not values, each with the number of its stored
    /// properties.
    static func types(in file: SourceFile) -> [Found] {
        file.lines.indices.compactMap { start in
            guard let type = type(declaredBy: file.lines[start...], in: file.module) else { return nil }
            let indent = String(file.lines[start].prefix { $0 == " " })
            // The formatter puts the closing brace of a type on its own line, with the indentation of the declaration.
            let body = file.lines[(start + 1)...].prefix { $0 != indent + "}" }
            let count = body.indices.count { isStored(body[$0...], indent: indent + "    ") }
            return Found(name: type, line: start + 1, count: count)
        }
    }

    private static let modifiers: Set = [
        "package", "public", "private", "fileprivate", "internal", "final", "nonisolated", "lazy", "weak", "unowned",
        "private(set)", "package(set)", "internal(set)", "fileprivate(set)",
    ]

    private static func words(of line: Substring) -> ArraySlice<Substring> {
        line.split(separator: " ").drop { modifiers.contains(String($0)) || $0.hasPrefix("@") }
    }

    /// The name of the type that a line declares; nil for a struct that is a value, and for any other line.
    private static func type(declaredBy lines: ArraySlice<Substring>, in module: String) -> String? {
        let words = words(of: lines.first ?? "")
        guard let kind = words.first, ["class", "actor", "struct"].contains(kind),
            let name = words.dropFirst().first?.prefix(while: { $0.isLetter || $0.isNumber || $0 == "_" }),
            !["func", "var", "let"].contains(name)
        else { return nil }
        let protocols = words.joined(separator: " ").split { !$0.isLetter }.map(String.init)
        let isData = modulesOfData.contains(module) || !protocolsOfData.isDisjoint(with: protocols)
        return kind == "struct" && isData ? nil : String(name)
    }

    /// Whether the first line declares a stored property of the type whose members have this indentation.
    private static func isStored(_ lines: ArraySlice<Substring>, indent: String) -> Bool {
        guard let line = lines.first, line.hasPrefix(indent), line.dropFirst(indent.count).first != " " else {
            return false
        }
        let words = words(of: line)
        guard let keyword = words.first, ["let", "var"].contains(keyword) else { return false }
        let text = words.joined(separator: " ")
        let isComputed =
            text.prefix { $0 != "=" }.contains("{") || lines.dropFirst().first?.hasPrefix(indent + "{") == true
        return !isComputed
    }

    static func findings(in file: SourceFile, except exceptions: [String: String] = exceptions) -> [Finding] {
        types(in: file).filter { $0.count > maxProperties && exceptions[$0.name] == nil }.map { type in
            let message =
                "\(type.name) has \(type.count) stored properties, and \(maxProperties) are the most: move what "
                + "belongs together to a type of its own"
            return Finding(path: file.path, line: type.line, message: message)
        }
    }

    @Test("No type has more than 12 stored properties, except those in the list")
    func sources() {
        let sources = Repository.sources.filter { $0.path.hasPrefix("Sources/") }
        sources.flatMap { Self.findings(in: $0) }.expectNone()
        let large = sources.flatMap { Self.types(in: $0) }.filter { $0.count > Self.maxProperties }.map(\.name)
        #expect(Set(Self.exceptions.keys).subtracting(large).isEmpty, "entries that are no longer needed")
    }

    private static func source(_ declaration: String, _ properties: [String]) -> SourceFile {
        let body = properties.map { "    \($0)\n" }.joined()
        return SourceFile("Sources/TillShop/A.swift", "\(declaration) {\n\(body)}\n")
    }

    @Test("A class, an actor and a struct with 13 stored properties are found")
    func found() {
        let properties = (1...12).map { "let a\($0): Int" }
        let more = [
            "private var b = 1", "@TaskLocal var b: Int?", "package private(set) var b: [Int]", "nonisolated let b = 2",
            "lazy var b = { 1 }()",
        ]
        for declaration in ["final class A: Sendable", "package actor A", "struct A<T>: ~Copyable"] {
            for property in more {
                let file = Self.source(declaration, properties + [property])
                #expect(Self.findings(in: file).map(\.line) == [1], "\(declaration) \(property)")
            }
        }
    }

    @Test("Computed and static properties do not count, nor do the properties of values")
    func left() {
        let properties = (1...12).map { "let a\($0): Int" }
        for other in ["static let b = 1", "var b: Int { 1 }", "var b: Int {", "func c() {}", "        let b = 1"] {
            #expect(Self.findings(in: Self.source("final class A", properties + [other])).isEmpty, "\(other)")
        }
        for declaration in ["struct A: Codable, Sendable", "enum A", "extension A", "struct A: Equatable"] {
            #expect(Self.findings(in: Self.source(declaration, properties + ["let b: Int"])).isEmpty, "\(declaration)")
        }
    }
}
