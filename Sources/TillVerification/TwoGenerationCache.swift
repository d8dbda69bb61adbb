/// A cache of limited size that keeps what was used recently. When the young generation is full it becomes the old one,
/// and the previous old one is dropped; what is found in the old one becomes young again.
package struct TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let size: Int
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var sizeOfYoung = 0
    private let limit: Int

    /// An empty cache.
    ///
    /// - Parameter limit: of the sizes of all values together, by default of their number.
    package init(limit: Int) { self.limit = max(limit / 2, 1) }

    /// How many values are cached.
    package var count: Int { young.count + old.count }

    /// The value of a key.
    package mutating func value(of key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        keep(entry, key)
        return entry.value
    }

    /// Keeps a value. One that is larger than a generation is not kept.
    package mutating func keep(_ value: Value, of key: Key, size: Int = 1) {
        old[key] = nil
        guard size <= limit else { return }
        keep(Entry(value: value, size: size), key)
    }

    /// Removes all values.
    package mutating func removeAll() {
        young = [:]
        old = [:]
        sizeOfYoung = 0
    }

    private mutating func keep(_ entry: Entry, _ key: Key) {
        sizeOfYoung -= young.removeValue(forKey: key)?.size ?? 0
        if sizeOfYoung + entry.size > limit {
            old = young
            young = [:]
            sizeOfYoung = 0
        }
        young[key] = entry
        sizeOfYoung += entry.size
    }
}
