import Foundation
import GRDB
import TillCore
import TillSQLite
import TillStorage
import TillTestSupport

@testable import TillPostgres

/// The storage engines that must pass these tests.
enum Engine: String, CaseIterable, Sendable {
    case sqlite
    case postgres
}

/// A new store in its own folder or database. The folder is removed when the test releases the fixture.
final class StorageFixture: Sendable {
    let folder: String
    let storage: any Storage
    private let database: PostgresDatabase?

    init(_ engine: Engine) throws {
        folder = NSTemporaryDirectory() + "till-storage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        switch engine {
        case .sqlite: database = nil
        case .postgres: database = try Self.database()
        }
        storage = try Self.open(database, folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A database with Till's tables, but without rows.
    static func database() throws -> PostgresDatabase {
        try PostgresServer.shared().database { _ = try PostgresStorage(DatabaseURL($0)) }
    }

    private static func open(_ database: PostgresDatabase?, _ folder: String) throws -> any Storage {
        guard let database else { return try SQLiteStorage(path: folder + "/till.sqlite") }
        let storage = try PostgresStorage(DatabaseURL(database.url))
        database.keep(while: storage)
        return storage
    }

    /// Opens the same store again, as after a restart or on another node.
    func reopened() throws -> any Storage { try Self.open(database, folder) }

    /// Changes the store without the engine, as a database client can do.
    func edit(_ sql: String) throws {
        if let database {
            try Session(DatabaseURL(database.url), PostgresSettings()).run(script: sql)
        } else {
            let client = try DatabaseQueue(path: folder + "/till.sqlite")
            try client.write { try $0.execute(sql: sql) }
            try client.close()
        }
    }

    static let scope = AccountScope(environment: .sandbox, app: "com.example")

    /// Creates an account that is not committed yet.
    func account(_ customer: String, number counter: Int64, in scope: AccountScope = scope) -> Account {
        let partition = Partition(environment: scope.environment, app: scope.app, customer: customer)
        var ids = Identifiers(reserved: counter..<counter + 1)
        var account = Account(
            id: ids.account(in: partition),
            environment: scope.environment,
            app: scope.app,
            customer: customer,
            storefront: .unitedStates,
            at: Timestamp(milliseconds: 1_000_000)
        )
        account.version = 1
        return account
    }

    /// Creates a transaction of an account with a change number, which also determines the transaction id.
    func row(
        _ account: Account,
        _ change: Int64,
        product: String = "coins",
        type: ProductKind = .consumable,
        purchased: Int64? = nil,
        group: String? = nil,
        ownership: InAppOwnershipType = .purchased,
        refund: Int64? = nil,
        finished: Bool = false
    ) -> Transaction {
        let date = Timestamp(milliseconds: (purchased ?? change) * 1_000)
        let id = TransactionID(2_000_000_000_000_000 + (change + 5_000) * 1_024 + account.id.partition.number)
        return Transaction(
            id: id,
            originalID: id,
            account: account.id,
            change: change,
            lineItem: type == .autoRenewable ? id.number + 1_024 : nil,
            order: OrderID((change + 9_000) * 1_024 + account.id.partition.number),
            productID: product,
            groupID: group,
            type: type,
            purchaseDate: date,
            originalPurchaseDate: date,
            expiresDate: type == .autoRenewable ? date.advanced(milliseconds: 86_400_000) : nil,
            quantity: 1,
            appAccountToken: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11",
            ownership: ownership,
            reason: .purchase,
            storefront: .unitedStates,
            price: ownership == .purchased ? Money(milliunits: 990, currency: "USD") : nil,
            offer: AppliedOffer(kind: .code, id: "SPRING", mode: .payAsYouGo, wholePeriod: Period(3, .month)),
            isUpgraded: false,
            revocation: refund.map { _ in
                Revocation(date: date, reason: .issueInApp, kind: .refundProrated, percentage: 25_000)
            },
            refundNumber: refund,
            isFinished: finished,
            sharedFrom: nil,
            modifiedDate: date
        )
    }

    /// Commits a notification of an account that is pending for the account's primary endpoint.
    func notify(_ account: Account, number counter: Int64) async throws {
        let entry = OutboxEntry(
            id: NotificationID(counter * 1_024 + account.id.partition.number),
            scope: AccountScope(environment: account.environment, app: account.app),
            account: account.id,
            original: nil,
            transaction: nil,
            uuid: "uuid-\(counter)",
            type: "DID_RENEW",
            subtype: nil,
            isTriggered: false,
            signedDate: Timestamp(milliseconds: counter),
            content: .signed(
                NotificationParts(
                    body: SignedPart(payload: [1, 2, 0, 255], signature: [7]),
                    transactionInfo: SignedPart(payload: [3], signature: [4])
                ),
                chain: "chain"
            )
        )
        let delivery = Delivery(of: entry, to: "primary", clock: account.clockName, due: entry.signedDate)
        try await storage.commit([Change(notifications: [entry], deliveries: [delivery])])[0].get()
    }

    /// Commits an account with transactions, and returns the stored account.
    func commit(_ account: Account, rows: [Transaction]) async throws -> Account {
        var account = account
        account.changeNumber = rows.map(\.change).max() ?? 0
        account.rowCount = Int64(rows.count)
        account.refundNumber = rows.compactMap(\.refundNumber).max() ?? 0
        let change = Change(
            accounts: [AccountChange(account: account, before: nil)],
            rows: rows.map { TransactionChange(before: nil, after: $0) }
        )
        try await storage.commit([change])[0].get()
        return account
    }
}
