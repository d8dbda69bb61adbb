import TillShop

/// Random choices of a simulation.
extension SeededRandom {
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
