/// An answer of the App Store, with the server that gave it.
///
/// The properties of the answer are its own: `answer.signedTransactionInfo` is `answer.value.signedTransactionInfo`.
@dynamicMemberLookup
public struct Answer<Value: Sendable>: Sendable {
    /// The answer.
    public let value: Value
    /// The server that answered. With `.automatic`, it says in which environment the transaction is.
    public let server: ServerAddress
    /// The time of the server when it answered, in whole seconds (`Date`); nil if the answer does not say.
    public let serverTime: Timestamp?

    init(value: Value, server: ServerAddress, serverTime: Timestamp? = nil) {
        (self.value, self.server, self.serverTime) = (value, server, serverTime)
    }

    /// A property of the answer.
    public subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property { value[keyPath: path] }
}

extension Answer: Equatable where Value: Equatable {
    /// Whether it is the same answer of the same server, at any time.
    public static func == (left: Self, right: Self) -> Bool { left.value == right.value && left.server == right.server }
}
