/// The tables that contain the data of apps and customers. They have the same columns in every engine, so that rows can
/// be exported from one engine and imported into another. Tables that concern only a server (the request log and the
/// reserved identifiers) are not listed.
package enum ShopTable: String, CaseIterable, Sendable {
    // The cases are in the order of an import: a row never comes before a row that it refers to.
    case documents
    case accounts
    case ledger
    case redemptions
    case outbox
    case deliveries

    /// A column of a table.
    package struct Column: Equatable, Sendable {
        /// The type of the cells in a column.
        package enum Kind: String, Sendable {
            case integer
            case text
            case bytes
        }

        /// The name of the column in the engines.
        package let name: String
        /// The type of the cells in this column.
        package let kind: Kind
        /// Whether cells of this column may be null.
        package let isOptional: Bool

        /// A column with its name and type.
        package init(name: String, kind: Kind, isOptional: Bool) {
            self.name = name
            self.kind = kind
            self.isOptional = isOptional
        }
    }

    /// The column that contains the environment. It still has its name from version 0.1.0.
    package static let environment = "realm"

    /// The number of rows in a page of a transfer. A catalog is a single row, and a page must not fill the memory.
    package var pageLength: Int { self == .documents ? 16 : 500 }

    /// The columns of the unique key. Exports are ordered by them.
    package var key: [String] {
        switch self {
        case .documents: ["kind", "name"]
        case .accounts: ["partition", "account"]
        case .ledger: ["partition", "account", "change"]
        case .redemptions: [Self.environment, "app", "product", "offer"]
        case .outbox: ["id"]
        case .deliveries: ["partition", "notification", "endpoint"]
        }
    }

    /// All columns of the table, in order.
    package var columns: [Column] {
        switch self {
        case .documents: Self.columns(text: ["kind", "name", "body"], optional: ["app": .text])
        case .accounts: Self.accountColumns
        case .ledger: Self.ledgerColumns
        case .redemptions: Self.columns(integers: ["redeemed"], text: [Self.environment, "app", "product", "offer"])
        case .outbox: Self.outboxColumns
        case .deliveries: Self.deliveryColumns
        }
    }

    private static let accountColumns = columns(
        integers: ["partition", "account", "version", "change_number", "row_count"],
        text: [environment, "app", "customer", "state", "clock"],
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
        text: [environment, "app", "uuid", "type", "chain"],
        bytes: ["body", "body_signature"],
        optional: [
            "account": .integer, "original_id": .integer, "transaction_id": .integer, "subtype": .text,
            "transaction_info": .bytes, "transaction_signature": .bytes, "renewal_info": .bytes,
            "renewal_signature": .bytes,
        ]
    )

    private static let deliveryColumns = columns(
        integers: ["partition", "notification", "signed_date", "attempts", "is_delivered"],
        text: ["endpoint", environment, "app", "clock", "type", "log"],
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

/// A value in a row.
package enum Cell: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// Whether every engine can store the value in the column. For example, a text must not contain U+0000.
    package func fits(_ column: ShopTable.Column) -> Bool {
        switch self {
        case .integer: column.kind == .integer
        case .text(let text): column.kind == .text && !text.utf8.contains(0)
        case .bytes: column.kind == .bytes
        case .null: column.isOptional
        }
    }
}

/// A row of a table. It has one cell for each column, in the order of the columns.
package struct TableRow: Hashable, Sendable {
    /// The cells, one for each column of the table.
    package let cells: [Cell]

    /// A row with its cells.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// The cells of the given columns, in the order of `columns`.
    package func cells(_ columns: [String], of table: ShopTable) -> [Cell] {
        columns.compactMap { self[$0, of: table] }
    }

    /// The cells of the unique key of the table.
    package func key(of table: ShopTable) -> [Cell] { cells(table.key, of: table) }

    /// The cell in a column; nil if the table has no such column.
    package subscript(_ column: String, of table: ShopTable) -> Cell? {
        table.columns.firstIndex { $0.name == column }.map { cells[$0] }
    }
}
