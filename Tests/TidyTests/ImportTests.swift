import Testing

/// Checks the table of allowed imports in docs/internals/architecture.md.
@Suite("Each module imports only what the architecture page allows")
struct ImportTests {
    /// The modules that a module may import.
    enum Allowance {
        case only(Set<String>)
        case all(but: Set<String>)

        func permits(_ name: String) -> Bool {
            switch self {
            case .only(let names): names.contains(name)
            case .all(let names): !names.contains(name)
            }
        }
    }

    /// The modules of the platform. Every module except TillCore may import them.
    static let platform: Set = ["Foundation", "FoundationEssentials", "Synchronization", "Glibc", "Musl", "Darwin"]

    static let shop: Set = [
        "TillJSON", "TillCore", "TillSigning", "TillStorage",
        "Crypto", "DequeModule", "Logging", "Metrics", "ServiceLifecycle", "Tracing",
    ]

    /// Additional imports of the delivery worker. An HTTP client of a library cannot distinguish a refused connection
    /// from a connection that was closed without an answer, or a stale connection from a new one.
    static let deliveryWorker: Set = ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS"]

    static let server = shop.union([
        "TillControl", "TillShop", "CoreMetrics", "HTTPTypes", "Hummingbird", "HummingbirdCore", "NIOCore",
        "NIOHTTPTypes",
        // These modules provide TLS with Apple's host names, HTTP/2 and the tunnels of the proxy.
        "HummingbirdHTTP2", "NIOHTTP2", "NIOPosix", "NIOSSL",
        // This module provides the complete request target, which Hummingbird's types lack.
        "NIOHTTP1",
    ])

    static let console: Set = [
        "TillControl", "TillJSON", "TillCore", "TillSigning", "TillStorage", "TillShop", "TillServer",
        "Crypto", "HTTPTypes", "Hummingbird", "Logging", "Mustache", "NIOCore", "ServiceLifecycle",
    ]

    /// The runtime starts the complete server, so it may import all of the server's modules, but no module of the
    /// command.
    static let runtime: Set = [
        "TillCore", "TillSigning", "TillStorage", "TillSQLite", "TillPostgres", "TillShop", "TillServer", "TillConsole",
        "Hummingbird", "Logging", "NIOCore", "ServiceLifecycle", "UnixSignals",
    ]

    static let table: [String: Allowance] = [
        "TillJSON": .only([]),
        "TillCalendar": .only([]),
        "AppStoreTypes": .only([]),
        "TillTypes": .only(["AppStoreTypes"]),
        "TillControl": .only(
            platform.union([
                "AppStoreTypes", "TillTypes", "TillJSON", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix",
            ])
        ),
        "TillTesting": .only(
            platform.union([
                "AppStoreServer", "TillControl", "TillJSON", "NIOCore", "NIOHTTP1", "NIOPosix", "Testing",
            ])
        ),
        "AppStoreServer": .only(
            platform.union([
                "AppStoreTypes", "TillJSON", "TillCalendar", "TillVerification", "AsyncHTTPClient", "Crypto", "Logging",
                "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            ])
        ),
        "TillCore": .only(["AppStoreTypes", "TillTypes"]),
        "TillVerification": .only(
            platform.union(["AppStoreTypes", "TillJSON", "TillCalendar", "Crypto", "SwiftASN1", "X509"])
        ),
        "TillSigning": .only(
            platform.union([
                "TillVerification", "TillTypes", "TillJSON", "TillCalendar", "Crypto", "CryptoExtras", "SwiftASN1",
                "X509",
            ])
        ),
        "TillStorage": .only(platform.union(["TillCore"])),
        "TillSQLite": .only(platform.union(["TillCore", "TillStorage", "GRDB", "GRDBSQLite"])),
        "TillPostgres": .only(platform.union(["TillCore", "TillStorage", "CPostgres"])),
        "TillShop": .only(platform.union(shop).union(deliveryWorker).union(["TillCalendar"])),
        "TillServer": .only(platform.union(server)),
        "TillConsole": .only(platform.union(console)),
        "TillRuntime": .only(platform.union(runtime)),
        "TillTestSupport": .all(
            but: ["till", "TillConsole", "TillRuntime", "TillExec", "TillTesting", "ArgumentParser", "Mustache"]
        ),
        "TillExec": .only(
            platform.union(["TillServer", "TillShop", "TillStorage", "CNamespace", "Logging", "NIOCore"])
        ),
        "till": .all(but: ["CNamespace", "TillTestSupport", "TillTesting", "Testing"]),
        "till-contract-text": .only(platform),
        "till-simulate": .only(platform.union(["ArgumentParser", "TillTestSupport"])),
    ]

    /// Files that may import more than the rest of their module, each with the reason.
    static let exceptions: [String: Set<String>] = [
        // The calendar that adds months in Pacific time.
        "Sources/TillCore/Time/Period.swift": ["Foundation", "FoundationEssentials"],
        // Days of the calendar, for dates in messages.
        "Sources/TillCore/Time/Timestamp+ISO8601.swift": ["TillCalendar"],
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard let allowance = table[file.module] else {
            let advice = "add it to the import table here and to docs/internals/architecture.md"
            return [Finding(path: file.path, message: "module \(file.module) is unknown: \(advice)")]
        }
        return imports(in: file).compactMap { index, name in
            guard !allowance.permits(name), exceptions[file.path]?.contains(name) != true else { return nil }
            return file.finding(at: index, "\(file.module) may not import \(name): \(advice(file.module, name))")
        }
    }

    /// The names of the imported modules, each with the index of its token.
    /// `import` is a reserved word everywhere except in members and argument labels. Attributes and access levels
    /// before it are therefore ignored.
    static func imports(in file: SourceFile) -> [(index: Int, name: String)] {
        let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let indices = file.tokens.indices.filter { file.text($0) == "import" }
        return indices.filter { ![".", "(", ","].contains(file.text($0 - 1)) }.map { index in
            let next = kinds.contains(file.text(index + 1)) ? index + 2 : index + 1
            return (index, file.text(next))
        }
    }

    private static func advice(_ module: String, _ name: String) -> String {
        if module == "TillCore", platform.contains(name) {
            return "use Timestamp and plain Swift; the calendar is in Period.swift"
        }
        return "move the code to a module that may, or hand in what it needs as a value or a protocol"
    }

    @Test("No file imports a module that its own module may not import")
    func sources() {
        Repository.sources.flatMap(Self.findings(in:)).expectNone()
    }

    @Test(
        "A forbidden import is found in every spelling",
        arguments: [
            "import GRDB",
            "@preconcurrency import GRDB",
            "@testable @_spi(Some) import GRDB",
            "package import GRDB",
            "import struct GRDB.Row",
            "import Foundation; import GRDB",
            "#if canImport(GRDB)\nimport GRDB\n#endif",
            "private\nimport GRDB.Row",
        ]
    )
    func forbidden(sample: String) {
        let findings = Self.findings(in: SourceFile("Sources/TillShop/A.swift", sample))
        #expect(findings.map(\.message).filter { $0.hasPrefix("TillShop may not import GRDB") }.count == 1)
        #expect(findings.count == 1)
    }

    @Test(
        "Each module is checked against its own row of the table",
        arguments: [
            ("TillCore", "Foundation"), ("TillCore", "Synchronization"), ("TillCore", "TillSigning"),
            ("TillJSON", "Foundation"), ("TillCalendar", "Foundation"), ("TillCore", "TillCalendar"),
            ("TillJSON", "TillCore"), ("TillCore", "TillJSON"), ("TillStorage", "TillJSON"),
            ("TillSigning", "TillCore"), ("TillStorage", "GRDB"), ("TillSQLite", "Crypto"), ("TillShop", "Hummingbird"),
            ("TillPostgres", "GRDB"), ("TillSQLite", "CPostgres"), ("TillShop", "CPostgres"),
            ("TillShop", "TillSQLite"), ("TillServer", "TillSQLite"), ("TillServer", "AsyncHTTPClient"),
            ("TillServer", "ArgumentParser"), ("TillServer", "Mustache"), ("TillConsole", "TillSQLite"),
            ("AppStoreServer", "TillControl"), ("AppStoreServer", "X509"), ("AppStoreServer", "TillSigning"),
            ("TillVerification", "TillSigning"), ("TillVerification", "CryptoExtras"),
            ("TillControl", "AppStoreServer"),
            ("TillServer", "TillConsole"), ("TillServer", "TillExec"), ("TillExec", "TillRuntime"),
            ("till", "CNamespace"), ("till", "TillTestSupport"), ("till", "TillTesting"), ("till", "Testing"),
            ("TillTesting", "TillServer"), ("TillTesting", "TillVerification"), ("TillConsole", "TillRuntime"),
            ("TillRuntime", "ArgumentParser"), ("TillRuntime", "till"), ("TillRuntime", "TillTestSupport"),
            ("TillRuntime", "Configuration"), ("TillTestSupport", "ArgumentParser"), ("TillTestSupport", "till"),
            ("till-simulate", "TillShop"),
            ("TillNew", "Foundation"),
        ]
    )
    func moduleRules(module: String, name: String) {
        #expect(Self.findings(in: SourceFile("Sources/\(module)/A.swift", "import \(name)")).count == 1)
    }

    @Test(
        "Allowed imports, comments and strings have no findings",
        arguments: [
            ("TillCore/Time/Period", "import Foundation"),
            ("TillSigning/A", "@preconcurrency import Crypto\nimport Foundation"),
            ("TillSQLite/A", "import GRDB\nimport TillCore\nimport func Glibc.umask"),
            ("TillServer/API/A", "import Hummingbird\nimport Logging\nimport Synchronization"),
            ("till/A", "import ArgumentParser\nimport TillSQLite"),
            ("TillCore/A", "catalog.import(data)\nfunc a(import b: Int, import: Int) {}"),
            ("TillCore/A", "// import GRDB\nlet a = \"import GRDB\"\n/* import Foundation */"),
        ]
    )
    func allowed(file: String, sample: String) {
        Self.findings(in: SourceFile("Sources/\(file).swift", sample)).expectNone()
    }
}
