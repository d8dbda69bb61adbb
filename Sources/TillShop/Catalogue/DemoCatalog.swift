/// The catalogue that ships with Till: a made-up app about plants, with everything that can be sold.
///
/// `Catalogs/demo.storekit` is the file; the build puts its bytes into the binary, so that Till needs nothing beside
/// it.
package enum DemoCatalog {
    /// The bundle id that its products belong to.
    package static let bundleID = "com.example.till.demo"

    /// The file, for ``StoreKitFile/read(_:)``.
    package static var bytes: [UInt8] { PackageResources.demo_storekit }
}
