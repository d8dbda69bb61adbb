/// The tables that make up a shop, with the same columns in every engine, so that rows can be exported from one engine
/// and imported into another. Tables that only concern a server (the request log, reserved identifiers) are not among
/// them.
package enum ShopTable: String, CaseIterable, Sendable {
    // In the order in which they are filled: a row never precedes the one it refers to.
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

        /// Its name in the engines.
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

    /// The column with the environment. Its name is that of version 0.1.0.
    package static let environment = "realm"

    /// How many rows are transferred at once. A catalog is one row, and no page may fill the memory.
    package var pageLength: Int { self == .documents ? 16 : 500 }

    /// The columns of the unique key; exports are ordered by them.
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

    /// Every column.
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

/// A value of a row.
package enum Cell: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// Whether every engine can store it in a column: texts must not contain U+0000.
    package func fits(_ column: ShopTable.Column) -> Bool {
        switch self {
        case .integer: column.kind == .integer
        case .text(let text): column.kind == .text && !text.utf8.contains(0)
        case .bytes: column.kind == .bytes
        case .null: column.isOptional
        }
    }
}

/// A row of a table: a cell for each of its columns, in order.
package struct TableRow: Hashable, Sendable {
    /// One for each column of the table.
    package let cells: [Cell]

    /// A row.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// The cells of some columns, in the order of `columns`.
    package func cells(_ columns: [String], of table: ShopTable) -> [Cell] {
        columns.compactMap { self[$0, of: table] }
    }

    /// The cells of the unique key.
    package func key(of table: ShopTable) -> [Cell] { cells(table.key, of: table) }

    /// The cell of a column.
    package subscript(_ column: String, of table: ShopTable) -> Cell? {
        table.columns.firstIndex { $0.name == column }.map { cells[$0] }
    }
}
