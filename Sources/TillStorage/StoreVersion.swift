/// How the tables of a store compare with those of this version of Till.
package enum StoreVersion: Sendable {
    /// They are the same.
    case current
    /// An older Till made them; opening the store for writing migrates them.
    case older
    /// A newer Till made them; this one can neither read nor write them.
    case newer
}
