/// Chance that a seed decides: the same seed throws the same dice on every machine and with every compiler
/// (SplitMix64).
package struct SeededRandom: Sendable {
    private var state: UInt64

    /// Dice that fall as the seed says.
    package init(seed: UInt64) { state = seed }

    /// The next throw, of 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A whole number of a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// Whether something that happens so often in a hundred happens.
    package mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }

    /// One of some things; nil where there is none.
    package mutating func pick<Thing>(_ things: [Thing]) -> Thing? {
        things.isEmpty ? nil : things[number(in: 0...things.count - 1)]
    }

    /// One of some things, of which there must be one.
    package mutating func one<Thing>(of things: Thing...) -> Thing {
        things[number(in: 0...things.count - 1)]
    }
}
