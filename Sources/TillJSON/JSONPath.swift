/// The present path of a reader. The text is built only for a message, because a hostile document may have long keys
/// and many values.
package struct JSONPath: Sendable {
    private enum Step: Sendable {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    /// The root.
    package init() {}

    /// `$.a[2].b`.
    package var text: String {
        steps.reduce("$") { path, step in
            switch step {
            case .key(let key): path + JSONTree.step(to: key)
            case .index(let index): "\(path)[\(index)]"
            }
        }
    }

    /// Enters a member of an object.
    package mutating func enter(_ key: String) { steps.append(.key(key)) }

    /// Enters an element of an array.
    package mutating func enter(_ index: Int) { steps.append(.index(index)) }

    /// Leaves the last member or element.
    package mutating func leave() { steps.removeLast() }
}
