// swift-tools-version:6.2
// The benchmarks are a separate package, so that building Till does not build them. They use Till only through its
// ports and files, like any client. `make bench` copies Till's Package.resolved, so the versions of the dependencies
// are the same.

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
        // Serves bytes from memory, and receives notifications.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Posts over plain HTTP, and is the client of Till's control API.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Measures signatures without a server.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"6.0.0"),
        // Measures the encoding of receipts without a server.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        // Measures commits and reads without Till. Only its module for the system's SQLite is used.
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
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        )
    ]
)
