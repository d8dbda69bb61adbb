/// A seeded random number generator: the same seed gives the same numbers on every machine and compiler (SplitMix64).
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator with this seed.
    package init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// Spreads bits evenly over all 64.
    static func mixed(_ bits: UInt64) -> UInt64 {
        var mixed = bits
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
