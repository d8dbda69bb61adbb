import TillCore

/// The products that tests sell. A test that needs another product derives it in one line: `.plan("gold", at: 9_990)`,
/// `.skin.shared`, `.coins.with { $0.isForSale = false }`.
package enum SampleCatalog {
    /// One product of each type. The skin and the monthly plan have Family Sharing.
    package static let all: [Product] = [.coins, .skin.shared, .season, .pro]

    /// Three plans of one group: `year` with an optional monthly billing plan, `pro` with a free week, and `basic`.
    package static let plans: [Product] = [
        .plan("year", level: 1, each: .year, at: 99_990, isShared: true, monthlyAt: 9_990),
        .plan("pro", level: 2, at: 9_990, isShared: true, offers: .freeWeek),
        .plan("basic", level: 3, at: 4_990, isShared: true),
    ]
}
