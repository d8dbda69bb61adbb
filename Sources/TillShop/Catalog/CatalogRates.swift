/// The numbers that Xcode writes as `_timeRate` for the subscription renewal rate (docs/catalog.md).
package enum CatalogRates {
    /// All numbers that stand for a renewal rate; 14 stands for none.
    package static let all = [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005]
}
