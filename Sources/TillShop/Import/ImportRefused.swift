/// The reason why a customer was not imported. Neither the account nor its clock was created.
package enum ImportRefused: Error, Equatable, Sendable {
    /// The document cannot be read. The text says where and why, without a full stop.
    case badDocument(String)
    /// The last page of the history is missing.
    case incompleteHistory
    /// The answers have two `appTransactionId`s, and a customer has only one.
    case severalCustomers(String, String)
    /// The customer has an account already.
    case customerExists(String)
    /// An identifier of the document exists in the app's environment.
    case identifierExists(String)
    /// The document has one identifier for a transaction and for the app transaction.
    case identifierTwice(String)
    /// The document has nothing that an account can contain. The text is about the first part that was quarantined,
    /// without a full stop; nil if there is none.
    case nothingToImport(String?)

    /// The error code for programs.
    package var code: String {
        switch self {
        case .badDocument: "bad_document"
        case .incompleteHistory: "incomplete_history"
        case .severalCustomers: "several_customers"
        case .customerExists: "customer_exists"
        case .identifierExists, .identifierTwice: "identifier_exists"
        case .nothingToImport: "nothing_to_import"
        }
    }

    /// The message for people: what is wrong and what to do.
    package var message: String {
        switch self {
        case .badDocument(let words): "\(words)."
        case .incompleteHistory:
            "The last page of the transaction history has hasMore true. Add all pages of the history."
        case .severalCustomers(let first, let second):
            "The answers have two values of appTransactionId, \(first) and \(second), so they are about two customers. "
                + "Import the answers about one customer."
        case .customerExists(let customer):
            "Customer \(customer) exists already. Choose another name for the imported customer."
        case .identifierExists(let id):
            "The identifier \(id) exists in this app and environment. The customer may have been imported before: "
                + "delete that customer first (till customer delete), or import with --anonymize."
        case .identifierTwice(let id):
            "The identifier \(id) occurs twice in the answers, as a transactionId and as an appTransactionId. "
                + "Import with --anonymize."
        case .nothingToImport(let first):
            "No transaction of the document could be imported, and it has no app transaction."
                + (first.map { " The first that was quarantined is \($0)." } ?? "")
        }
    }
}
