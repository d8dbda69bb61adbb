/// The version of the tables in a database, compared with this version of Till.
package enum StoreVersion: Sendable {
    /// The tables have the version that this Till creates.
    case current
    /// An older version of Till created the tables. Opening the database for writing migrates them.
    case older
    /// A newer version of Till created the tables. This version can neither read nor write them.
    case newer
}
