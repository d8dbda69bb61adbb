/// A seeded random number generator: the same seed gives the same numbers on every machine and compiler (SplitMix64).
package struct SeededRandom: Sendable {
    private var state: UInt64

    /// Creates a generator with this seed.
    package init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A random whole number in a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// True with this probability in percent.
    package mutating func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }

    /// A random element; nil if the collection is empty.
    package mutating func pick<Thing>(_ things: [Thing]) -> Thing? {
        things.isEmpty ? nil : things[number(in: 0...things.count - 1)]
    }

    /// A random one of at least one value.
    package mutating func one<Thing>(of things: Thing...) -> Thing {
        things[number(in: 0...things.count - 1)]
    }
}
