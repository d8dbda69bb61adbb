import TillCore

/// A customer whose name a search has found.
package struct FoundCustomer: Equatable, Sendable {
    /// The number of the account.
    package let account: AccountID
    /// The customer's name.
    package let customer: String

    /// A customer that a search has found.
    package init(account: AccountID, customer: String) {
        self.account = account
        self.customer = customer
    }
}

/// A notification without its payload and its signatures.
package struct NotificationHead: Equatable, Sendable {
    /// The id.
    package let id: NotificationID
    /// `notificationUUID` in lower case.
    package let uuid: String
    /// `notificationType`.
    package let type: String
    /// `subtype`; nil if the notification has none.
    package let subtype: String?
    /// The signed date.
    package let signedDate: Timestamp
    /// The account; nil for notifications about the app, such as tests and summaries.
    package let account: AccountID?
    /// The transaction that the notification is about; nil if there is none.
    package let transaction: TransactionID?

    /// A position in the list of an app's notifications.
    package struct Position: Comparable, Sendable {
        /// The signed date.
        package let signedDate: Timestamp
        /// The id.
        package let id: NotificationID

        /// A position in the list.
        package init(signedDate: Timestamp, id: NotificationID) { (self.signedDate, self.id) = (signedDate, id) }

        package static func < (left: Position, right: Position) -> Bool {
            (left.signedDate, left.id) < (right.signedDate, right.id)
        }
    }

    /// The position of the notification in the list.
    package var position: Position { Position(signedDate: signedDate, id: id) }

    static let list = "id, uuid, type, subtype, signed_date, account, transaction_id"

    init(_ cells: any StoredCells) throws(DamagedRow) {
        id = try NotificationID(cells, 0)
        uuid = try cells.text(1)
        type = try cells.text(2)
        subtype = try String?(cells, 3)
        signedDate = try Timestamp(cells, 4)
        account = try AccountID?(cells, 5)
        transaction = try TransactionID?(cells, 6)
    }
}
