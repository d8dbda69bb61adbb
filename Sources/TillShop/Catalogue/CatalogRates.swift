/// Xcode's numbers for how fast time passes, as `_timeRate` holds them (docs/catalogue.md).
package enum CatalogRates {
    /// Every number that means a rate; 14 is nobody's.
    package static let all = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005]
}
