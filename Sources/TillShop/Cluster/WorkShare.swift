import TillCore

/// The work assigned to a node, in units of adjacent partitions.
struct WorkShare: Sendable {
    /// The number of units in which work is assigned to nodes. Each unit has `partSize` partitions.
    private static let partCount = 32
    private static let partSize = Partition.count / Int64(partCount)

    /// The units assigned to the node.
    private var parts: Set<Int> = []
    /// Units that the node will release when no work is in progress in them.
    private var parting: Set<Int> = []
    /// The number of pieces of work that are in progress in each unit.
    private var underWay: [Int: Int] = [:]

    /// The partitions in which new work may begin. Adjacent partitions are combined into one range.
    var ranges: [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        for part in parts.subtracting(parting).sorted() {
            let first = Int64(part) * Self.partSize
            if let last = ranges.last, last.upperBound == first {
                ranges[ranges.count - 1] = last.lowerBound..<first + Self.partSize
            } else {
                ranges.append(first..<first + Self.partSize)
            }
        }
        return ranges
    }

    /// The units in which new work may begin, of all, such as `16/32`.
    var portion: String { "\(parts.subtracting(parting).count)/\(Self.partCount)" }

    /// Begins work in a partition; false if the partition is not assigned to the node.
    mutating func begin(in partition: Partition) -> Bool {
        let part = Int(partition.number / Self.partSize)
        guard parts.contains(part), !parting.contains(part) else { return false }
        underWay[part, default: 0] += 1
        return true
    }

    /// Ends work that was begun with ``begin(in:)``.
    mutating func end(in partition: Partition) {
        let part = Int(partition.number / Self.partSize)
        let rest = (underWay[part] ?? 1) - 1
        underWay[part] = rest > 0 ? rest : nil
    }

    /// What follows from a new division of the work among the nodes.
    struct Division: Sendable {
        /// Units that the node has released now.
        let idle: Set<Int>
        /// Units that the node should acquire.
        let wanted: Set<Int>
        /// Whether a planned release was cancelled.
        let isBack: Bool
    }

    /// Divides the work among a number of nodes; this node is the one at a place in their order.
    mutating func divide(_ place: Int, of nodes: Int) -> Division {
        let share = Set(place * Self.partCount / nodes..<(place + 1) * Self.partCount / nodes)
        let before = parting
        parting = parts.subtracting(share)
        let idle = parting.filter { underWay[$0] == nil }
        parts.subtract(idle)
        parting.subtract(idle)
        return Division(
            idle: idle,
            wanted: share.subtracting(parts),
            isBack: !before.isDisjoint(with: parts.subtracting(parting))
        )
    }

    mutating func add(_ acquired: Set<Int>) { parts.formUnion(acquired) }

    /// Gives up all units. Work in progress is still counted.
    mutating func clear() {
        parts = []
        parting = []
    }
}
