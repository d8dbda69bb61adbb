// swift-tools-version:6.2
import Foundation
import PackageDescription

// A package of a user: it has the client of the App Store Server API beside the control API, and an older swift-crypto
// than Till's server.
let till = ProcessInfo.processInfo.environment["TILL_REPOSITORY"] ?? "../../.."

let package = Package(
    name: "outside-client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "till", path: till, traits: ["AppStoreServer"]),
        .package(url: "https://github.com/apple/swift-crypto", exact: "3.12.3"),
    ],
    targets: [
        .executableTarget(
            name: "uses-app-store-server",
            dependencies: [
                .product(name: "AppStoreServer", package: "till"), .product(name: "TillControl", package: "till"),
            ]
        ),
        .executableTarget(
            name: "verifies-signed-data",
            dependencies: [.product(name: "AppStoreServer", package: "till")]
        ),
        // A process that a test kills.
        .executableTarget(name: "reconciles", dependencies: [.product(name: "AppStoreServer", package: "till")]),
    ]
)
