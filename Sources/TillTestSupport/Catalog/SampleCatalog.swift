import TillCore

/// The products that tests sell. A test with another need derives a product in one line: `.plan("gold", at: 9_990)`,
/// `.skin.shared`, `.coins.with { $0.isForSale = false }`.
package enum SampleCatalog {
    /// One product of each type: coins, a skin and a monthly plan that families share, and a season.
    package static let all: [Product] = [.coins, .skin.shared, .season, .pro]

    /// Three plans of one group: `year`, which can be billed monthly, `pro` with a free week, and `basic`.
    package static let plans: [Product] = [
        .plan("year", level: 1, each: .year, at: 99_990, isShared: true, monthlyAt: 9_990),
        .plan("pro", level: 2, at: 9_990, isShared: true, offers: .freeWeek),
        .plan("basic", level: 3, at: 4_990, isShared: true),
    ]
}
