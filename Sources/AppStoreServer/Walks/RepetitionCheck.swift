/// Notices that a list repeats its positions, so that it would never end.
///
/// It remembers one position, and takes a new one after 1, 2, 4, 8 … pages (Brent's method). A list that goes in a
/// circle is noticed after a few rounds, and a long list costs no memory.
struct RepetitionCheck: Sendable {
    private var remembered: String?
    private var pages = 0
    private var pagesUntilNext = 1

    /// Whether the position after a page was there before. One that is repeated is not counted, so that the page can
    /// be asked for again.
    mutating func isRepeated(_ position: String, after previous: String?) -> Bool {
        guard position != previous, position != remembered else { return true }
        pages += 1
        guard pages == pagesUntilNext else { return false }
        (remembered, pages, pagesUntilNext) = (position, 0, pagesUntilNext * 2)
        return false
    }
}
