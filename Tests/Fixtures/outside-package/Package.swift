// swift-tools-version:6.2
import Foundation
import PackageDescription

// A package of a user: it has an older swift-crypto than Till's server, and a target for each public product.
let till = ProcessInfo.processInfo.environment["TILL_REPOSITORY"] ?? "../../.."

let package = Package(
    name: "outside",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "till", path: till, traits: []),
        .package(url: "https://github.com/apple/swift-crypto", exact: "3.12.3"),
    ],
    targets: [
        .executableTarget(
            name: "uses-till-control",
            dependencies: [
                .product(name: "TillControl", package: "till"), .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "uses-app-store-types",
            dependencies: [.product(name: "AppStoreTypes", package: "till")]
        ),
        .testTarget(
            name: "ShopTests",
            dependencies: [.product(name: "TillTesting", package: "till")],
            exclude: ["Shop.storekit"]
        ),
    ]
)
