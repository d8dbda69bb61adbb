import TillCore

/// The named departures from Apple's behaviour and the choices where it is not known (docs/operating/settings.md).
package struct Settings: Codable, Equatable, Sendable {
    /// Answer Look Up Order ID in the sandbox too, where Apple's has none.
    package var orderLookupInSandbox: Bool
    /// Let a transaction whose app account token was set reappear at the end of the history.
    package var tokenChangeMovesHistory: Bool
    /// Entries that the journal keeps.
    package var journalLength: Int

    /// Till's own choices.
    package init(
        orderLookupInSandbox: Bool = true,
        tokenChangeMovesHistory: Bool = true,
        journalLength: Int = 10_000
    ) {
        self.orderLookupInSandbox = orderLookupInSandbox
        self.tokenChangeMovesHistory = tokenChangeMovesHistory
        self.journalLength = journalLength
    }

    /// Every departure taken back: Apple's behaviour as far as it is known.
    package static let apple = Settings(orderLookupInSandbox: false)
}
