// swift-tools-version:6.2
// A package of its own, so that building Till does not build it. It knows Till only by its ports and its files, as
// anybody does. Its dependencies are Till's, at the versions that Till's Package.resolved names: `make bench` copies
// it.

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "till-bench",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The same bytes from memory, and a receiver of notifications.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Bare posts; and how we speak to Till's control port.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Bare signatures.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // Bare commits and bare reads: only its name for the system's SQLite.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "till-bench",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        )
    ]
)
