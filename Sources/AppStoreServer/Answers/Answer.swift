/// An answer of the App Store, with the server that gave it.
///
/// The properties of the answer are its own: `answer.signedTransactionInfo` is `answer.value.signedTransactionInfo`.
@dynamicMemberLookup
public struct Answer<Value: Sendable>: Sendable {
    /// The answer.
    public let value: Value
    /// The server that answered. With `.automatic`, it says in which environment the transaction is.
    public let server: ServerAddress

    /// A property of the answer.
    public subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property { value[keyPath: path] }
}

extension Answer: Equatable where Value: Equatable {}
