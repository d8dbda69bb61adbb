/// The tables that hold a shop, with the same columns in every engine, so that what one engine has can be written out,
/// carried to another and put back, row by row. What only concerns a server (the request log, reserved identifiers) is
/// not among them.
package enum ShopTable: String, CaseIterable, Sendable {
    // In the order in which they are filled: a row never comes before the one that it names.
    case documents
    case accounts
    case ledger
    case redemptions
    case outbox
    case deliveries

    /// A column of a table.
    package struct Column: Equatable, Sendable {
        /// What a cell may hold.
        package enum Kind: String, Sendable {
            case integer
            case text
            case bytes
        }

        /// As the engines call it.
        package let name: String
        /// What its cells hold.
        package let kind: Kind
        /// Whether a cell may be null.
        package let isOptional: Bool

        /// A column.
        package init(name: String, kind: Kind, isOptional: Bool) {
            self.name = name
            self.kind = kind
            self.isOptional = isOptional
        }
    }

    /// Rows that are carried at once. A catalogue is one row; no page may fill the memory.
    package var pageLength: Int { self == .documents ? 16 : 500 }

    /// The columns whose values make a row one of its kind, and by which rows are ordered when they are written out.
    package var key: [String] {
        switch self {
        case .documents: ["kind", "name"]
        case .accounts: ["partition", "account"]
        case .ledger: ["partition", "account", "change"]
        case .redemptions: ["realm", "app", "product", "offer"]
        case .outbox: ["id"]
        case .deliveries: ["partition", "notification", "endpoint"]
        }
    }

    /// Every column.
    package var columns: [Column] {
        switch self {
        case .documents: Self.columns(text: ["kind", "name", "body"], optional: ["app": .text])
        case .accounts: Self.accountColumns
        case .ledger: Self.ledgerColumns
        case .redemptions: Self.columns(integers: ["redeemed"], text: ["realm", "app", "product", "offer"])
        case .outbox: Self.outboxColumns
        case .deliveries: Self.deliveryColumns
        }
    }

    private static let accountColumns = columns(
        integers: ["partition", "account", "version", "change_number", "row_count"],
        text: ["realm", "app", "customer", "state", "clock"],
        optional: ["next_due": .integer]
    )

    private static let ledgerColumns = columns(
        integers: [
            "partition", "account", "change", "id", "original_id", "purchase_date", "original_purchase_date",
            "quantity", "is_upgraded", "is_finished", "modified_date",
        ],
        text: ["product", "type", "ownership", "reason", "storefront"],
        optional: [
            "line_item": .integer, "order_number": .integer, "subscription_group": .text, "expires_date": .integer,
            "app_account_token": .text, "price": .integer, "currency": .text, "offer_kind": .integer,
            "offer_id": .text, "offer_mode": .text, "offer_period": .text, "revocation_date": .integer,
            "revocation_reason": .integer, "revocation_kind": .text, "revocation_percentage": .integer,
            "refund_number": .integer, "shared_from": .integer, "billing_plan": .text, "commitment": .text,
        ]
    )

    private static let outboxColumns = columns(
        integers: ["partition", "id", "is_triggered", "signed_date"],
        text: ["realm", "app", "uuid", "type", "chain"],
        bytes: ["body", "body_signature"],
        optional: [
            "account": .integer, "original_id": .integer, "transaction_id": .integer, "subtype": .text,
            "transaction_info": .bytes, "transaction_signature": .bytes, "renewal_info": .bytes,
            "renewal_signature": .bytes,
        ]
    )

    private static let deliveryColumns = columns(
        integers: ["partition", "notification", "signed_date", "attempts", "is_delivered"],
        text: ["endpoint", "realm", "app", "clock", "type", "log"],
        optional: ["account": .integer, "original_id": .integer, "subtype": .text, "due": .integer]
    )

    private static func columns(
        integers: [String] = [],
        text: [String] = [],
        bytes: [String] = [],
        optional: KeyValuePairs<String, Column.Kind> = [:]
    ) -> [Column] {
        integers.map { Column(name: $0, kind: .integer, isOptional: false) }
            + text.map { Column(name: $0, kind: .text, isOptional: false) }
            + bytes.map { Column(name: $0, kind: .bytes, isOptional: false) }
            + optional.map { Column(name: $0.key, kind: $0.value, isOptional: true) }
    }
}

/// A value of a row.
package enum Cell: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// Whether a column may hold it, in every engine: U+0000 has no place in a text.
    package func fits(_ column: ShopTable.Column) -> Bool {
        switch self {
        case .integer: column.kind == .integer
        case .text(let text): column.kind == .text && !text.utf8.contains(0)
        case .bytes: column.kind == .bytes
        case .null: column.isOptional
        }
    }
}

/// A row of a table: a cell for each of its columns, in their order.
package struct TableRow: Hashable, Sendable {
    /// As many as the table has columns.
    package let cells: [Cell]

    /// A row.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// The cells of some columns, in the order of their names here.
    package func cells(_ columns: [String], of table: ShopTable) -> [Cell] {
        columns.compactMap { self[$0, of: table] }
    }

    /// The cells that make it one of its kind.
    package func key(of table: ShopTable) -> [Cell] { cells(table.key, of: table) }

    /// The cell of a column.
    package subscript(_ column: String, of table: ShopTable) -> Cell? {
        table.columns.firstIndex { $0.name == column }.map { cells[$0] }
    }
}
