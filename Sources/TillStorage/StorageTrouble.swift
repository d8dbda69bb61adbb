/// What an engine throws when the way to its data is in trouble.
package protocol StorageTrouble: Error {
    /// Whether the same request may succeed a moment later: the server has gone and another takes over, or it is
    /// crowded. What came of the request is unknown.
    var isPassing: Bool { get }
}

extension Error {
    /// Whether an engine threw it, and the same request may succeed a moment later.
    package var isPassingTrouble: Bool { (self as? any StorageTrouble)?.isPassing ?? false }
}
