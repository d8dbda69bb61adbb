/// Xcode's numbers for the renewal rate, in `_timeRate` (docs/catalog.md).
package enum CatalogRates {
    /// Every number with a meaning; 14 has none.
    package static let all = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005]
}
