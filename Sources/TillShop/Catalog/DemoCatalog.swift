/// The catalog of the demo: an invented app about plants, with products of every type.
///
/// The build embeds the file `Catalogs/demo.storekit` in the binary, so that Till needs no other file.
package enum DemoCatalog {
    /// The bundle id of the demo's app.
    package static let bundleID = "com.example.till.demo"

    /// The content of the file, for ``StoreKitFile/read(_:)``.
    package static var bytes: [UInt8] { PackageResources.demo_storekit }
}
