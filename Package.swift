// swift-tools-version:6.2
// One binary, nineteen modules, and a library for tests. docs/internals/architecture.md says what each is for and what
// it may import; Tests/TidyTests holds us to it.

import PackageDescription

/// One list of settings for every target: Swift 6 mode comes with the tools version.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// SwiftPM resolves whole packages. What only the server needs therefore stands behind a trait, so that users of the
/// public products (`traits: []`) need neither the server's packages nor their versions.
let server = TargetDependencyCondition.when(traits: ["Server"])

/// What the client of the App Store Server API needs beside the packages of `TillControl`.
let client = TargetDependencyCondition.when(traits: ["Server", "AppStoreServer"])

/// What `TillTesting` verifies signed data with.
let clientLibrary = Target.Dependency.byName(name: "AppStoreServer", condition: client)
let clientCrypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: client)
let clientX509 = Target.Dependency.product(name: "X509", package: "swift-certificates", condition: client)
let clientASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1", condition: client)
let clientLogging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: client)
let clientSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl", condition: client)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: server)
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto", condition: server)
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates", condition: server)
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1", condition: server)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: server)
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift", condition: server)
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird", condition: server)
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser", condition: server)
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration", condition: server)
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system", condition: server)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: server)
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics", condition: server)
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics", condition: server)
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing", condition: server)
let inMemoryTracing = Target.Dependency.product(
    name: "InMemoryTracing",
    package: "swift-distributed-tracing",
    condition: server
)
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: server
)
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections", condition: server)
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird", condition: server)
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird", condition: server)
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server)
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: server)
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio", condition: server)
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl", condition: server)
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio", condition: server)
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2", condition: server)
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache", condition: server)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types", condition: server)
let hummingbirdTesting = Target.Dependency.product(
    name: "HummingbirdTesting",
    package: "hummingbird",
    condition: server
)

let package = Package(
    name: "till",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "till", targets: ["till"]),
        .library(name: "AppStoreTypes", targets: ["AppStoreTypes"]),
        .library(name: "AppStoreServer", targets: ["AppStoreServer"]),
        .library(name: "TillControl", targets: ["TillControl"]),
        .library(name: "TillTesting", targets: ["TillTesting"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(
            name: "Server",
            description: "Everything but the public libraries: the server, its command and its tests."
        ),
        .trait(
            name: "AppStoreServer",
            description: "The client of the App Store Server API, which signs its tokens with swift-crypto."
        ),
    ],
    dependencies: [
        // The faces: HTTP servers for Apple's routes and for control.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // The pages of the console.
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        // The command speaks HTTP as a client.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // The embedded engine.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Keys, certificates, signatures. The server needs version 4; the client of the App Store Server API also runs
        // with 3.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"6.0.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        // The command line and its settings.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // What a service needs: logs, figures, traces, an orderly start and stop.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "TillJSON", swiftSettings: settings),
        .target(name: "TillCalendar", swiftSettings: settings),
        // The public products: the values of the App Store, the contract of the control API with its client, and a
        // client of the App Store Server API.
        .target(name: "AppStoreTypes", swiftSettings: settings),
        .target(name: "TillTypes", dependencies: ["AppStoreTypes"], swiftSettings: settings),
        .target(
            name: "TillControl",
            dependencies: ["AppStoreTypes", "TillTypes", "TillJSON", httpClient, nioCore, nioPosix, nioHTTP1],
            swiftSettings: settings
        ),
        // A library for tests, which imports swift-testing; the binary does not contain it.
        .target(
            name: "TillTesting",
            dependencies: ["TillControl", "TillJSON", clientLibrary, nioCore, nioPosix, nioHTTP1],
            swiftSettings: settings
        ),
        // What server and client share to read and verify signed data. It compiles with swift-crypto 3 and 4, so it
        // does without the product that has another name in each.
        .target(
            name: "TillVerification",
            dependencies: ["AppStoreTypes", "TillJSON", "TillCalendar", clientCrypto, clientX509, clientASN1],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreServer",
            dependencies: [
                "AppStoreTypes", "TillJSON", "TillCalendar", "TillVerification", clientCrypto, clientLogging,
                httpClient, nioCore, nioPosix, nioHTTP1, clientSSL,
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "till-contract-text", swiftSettings: settings),
        .plugin(name: "ContractText", capability: .buildTool(), dependencies: ["till-contract-text"]),
        .target(
            name: "TillCore",
            dependencies: ["TillCalendar", "AppStoreTypes", "TillTypes"],
            swiftSettings: settings
        ),
        .target(
            name: "TillSigning",
            dependencies: [
                "TillVerification", "TillTypes", "TillJSON", "TillCalendar", crypto, cryptoExtras, x509, asn1,
            ],
            swiftSettings: settings
        ),
        .target(name: "TillStorage", dependencies: ["TillCore"], swiftSettings: settings),
        .target(
            name: "TillSQLite",
            dependencies: ["TillStorage", "TillCore", grdb, grdbSQLite],
            swiftSettings: settings
        ),
        .target(name: "CPostgres"),
        .target(name: "TillPostgres", dependencies: ["CPostgres", "TillStorage", "TillCore"], swiftSettings: settings),
        .target(
            name: "TillShop",
            dependencies: [
                "TillJSON", "TillCalendar", "TillCore", "TillSigning", "TillStorage", crypto, logging, metrics,
                tracing, lifecycle, collections, nioCore, nioPosix, nioHTTP1, nioSSL, nioTLS,
            ],
            resources: [.embedInCode("Resources/demo.storekit")],
            swiftSettings: settings
        ),
        .target(
            name: "TillServer",
            dependencies: [
                "TillControl", "TillShop", "TillJSON", "TillCore", "TillSigning", "TillStorage",
                hummingbird, hummingbirdCore, hummingbirdHTTP2,
                nioCore, nioPosix, nioSSL, nioHTTP1, nioHTTP2, nioHTTPTypes, httpTypes, logging, metrics, coreMetrics,
                tracing, lifecycle,
            ],
            swiftSettings: settings,
            plugins: ["ContractText"]
        ),
        .target(
            name: "TillConsole",
            dependencies: [
                "TillServer", "TillControl", "TillShop", "TillStorage", "TillSigning", "TillJSON", "TillCore",
                mustache, hummingbird, httpTypes, nioCore, crypto, logging, lifecycle,
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: settings
        ),
        .target(
            name: "TillRuntime",
            dependencies: [
                "TillConsole", "TillServer", "TillShop", "TillPostgres", "TillSQLite", "TillStorage", "TillSigning",
                "TillCore", hummingbird, logging, lifecycle, unixSignals, nioCore,
            ],
            swiftSettings: settings
        ),
        .target(name: "CAllocator"),
        .target(name: "CNamespace"),
        .target(
            name: "TillExec",
            dependencies: ["CNamespace", "TillServer", "TillShop", "TillStorage", logging, nioCore],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "till",
            dependencies: [
                "CAllocator", "TillExec", "TillRuntime", "TillServer", "TillControl", "TillShop", "TillPostgres",
                "TillSQLite",
                "TillStorage", "TillSigning", "TillJSON", "TillCore", "AppStoreServer",
                arguments,
                configuration, system, httpClient, logging, unixSignals, nioCore, nioHTTP1,
            ],
            swiftSettings: settings
        ),
        // For tests and developers; Tests/TidyTests checks that the product contains neither.
        .executableTarget(
            name: "till-simulate",
            dependencies: ["TillTestSupport", arguments],
            path: "Tests/till-simulate",
            swiftSettings: settings
        ),
        .target(
            name: "TillTestSupport",
            dependencies: [
                "TillServer", "TillShop", "TillPostgres", "TillSQLite", "TillStorage", "TillSigning", "TillJSON",
                "TillCore", logging,
                nioCore, nioPosix, nioHTTP1, nioSSL, crypto, x509, asn1,
            ],
            path: "Tests/TillTestSupport",
            swiftSettings: settings
        ),
        .testTarget(name: "TillJSONTests", dependencies: ["TillJSON"], swiftSettings: settings),
        .testTarget(name: "TillControlTests", dependencies: ["TillControl", "TillJSON"], swiftSettings: settings),
        .testTarget(
            name: "TillTestingTests",
            dependencies: ["TillTesting", "TillControl", "AppStoreServer", httpClient, nioCore, nioHTTP1],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreServerTests",
            dependencies: [
                "AppStoreServer", "TillSigning", "TillJSON", clientCrypto, httpClient, nioCore, nioPosix,
                hummingbird, hummingbirdTesting, httpTypes,
            ],
            swiftSettings: settings
        ),
        // The client with a real server in the process of the test.
        .testTarget(
            name: "AppStoreServerLiveTests",
            dependencies: [
                "AppStoreServer", "TillControl", "TillTestSupport", "TillRuntime", "TillServer", "TillShop",
                "TillStorage", "TillJSON", "TillCore", crypto, logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillCoreTests",
            dependencies: ["TillTestSupport", "TillCore", "TillCalendar"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "TillTestSupport", "TillServer", "TillShop", "TillSQLite", "TillStorage", "TillSigning", "TillCore",
                hummingbird, hummingbirdTesting, httpTypes, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillVerificationTests",
            dependencies: ["TillVerification", "TillSigning", "TillJSON", crypto, x509],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillSigningTests",
            dependencies: [
                "TillSigning", "TillVerification", "TillShop", "TillJSON", crypto, cryptoExtras, x509, asn1,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillStorageTests",
            dependencies: [
                "TillTestSupport", "TillPostgres", "TillSQLite", "TillStorage", "TillCore", grdb, grdbSQLite, crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillShopTests",
            dependencies: [
                "TillShop", "TillTestSupport", "TillSQLite", "TillPostgres", "TillStorage", "TillSigning", "TillJSON",
                "TillCore", grdb, crypto, logging, nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillServerTests",
            dependencies: [
                "TillServer", "TillControl", "TillTestSupport", "TillShop", "TillStorage", "TillSigning", "TillJSON",
                "TillCore",
                hummingbird, hummingbirdTesting, httpTypes, crypto, nioCore, nioHTTP1, nioHTTPTypes, nioEmbedded,
                logging, coreMetrics, lifecycle, grdb, tracing, inMemoryTracing,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillConsoleTests",
            dependencies: [
                "TillConsole", "TillServer", "TillControl", "TillTestSupport", "TillShop", "TillSQLite", "TillStorage",
                "TillSigning",
                "TillJSON", "TillCalendar", "TillCore", grdb, grdbSQLite, hummingbird, hummingbirdTesting, httpTypes,
                nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TillRuntimeTests",
            dependencies: [
                "TillRuntime", "TillShop", "TillSigning", "TillStorage", "TillCore", httpClient, logging, nioCore,
                nioHTTP1,
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "TillExecTests", dependencies: ["TillExec"], swiftSettings: settings),
        .testTarget(
            name: "TillCommandTests",
            dependencies: ["till", "TillRuntime", "TillServer", "TillShop", "TillCore", arguments, nioCore],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "TillTestSupport", "TillServer", "TillShop", "TillStorage", "TillSigning", "TillJSON", "TillCore",
                hummingbird, hummingbirdTesting, httpTypes, nioCore,
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ]
)
