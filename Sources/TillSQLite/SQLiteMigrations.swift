import GRDB
import TillStorage

/// The migrations of the tables, one for each version: those of version 0.1.0, which stand here, and each
/// `LaterMigration`. There are no migrations back to an older version.
///
/// The text of a released migration never changes; a test checks the digest of each. Each text contains all table and
/// column names itself, because text that is generated from the current tables would change with them.
struct Migration: Sendable {
    /// The number of the version and a short description. The database stores this text as the identifier of the
    /// migration.
    let name: String
    let sql: String

    static let all =
        [
            Migration(name: "1 documents, accounts and ledger", sql: version1),
            Migration(name: "2 journal", sql: version2),
            Migration(name: "3 clocks, commitments and notifications", sql: version3),
            Migration(name: "4 rows in the order of their numbers", sql: version4),
            Migration(name: "5 snapshots", sql: version5),
            Migration(name: "6 what is in a snapshot", sql: version6),
        ] + zip(7..., LaterMigration.all).map { Migration(name: "\($0) \($1.name)", sql: $1.sqlite) }

    /// The columns of the outbox in versions 3 and 4.
    private static let outboxColumns = """
        partition INTEGER NOT NULL,
            id INTEGER NOT NULL,
            realm TEXT NOT NULL,
            app TEXT NOT NULL,
            account INTEGER,
            original_id INTEGER,
            transaction_id INTEGER,
            uuid TEXT NOT NULL,
            type TEXT NOT NULL,
            subtype TEXT,
            is_triggered INTEGER NOT NULL,
            signed_date INTEGER NOT NULL,
            chain TEXT NOT NULL,
            body BLOB NOT NULL,
            body_signature BLOB NOT NULL,
            transaction_info BLOB,
            transaction_signature BLOB,
            renewal_info BLOB,
            renewal_signature BLOB
        """

    private static let version1 = """
        CREATE TABLE documents (
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (kind, name)
        ) WITHOUT ROWID;

        CREATE TABLE identifiers (
            series TEXT NOT NULL PRIMARY KEY,
            next INTEGER NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO identifiers (series, next) VALUES ('all', 1);

        CREATE TABLE accounts (
            partition INTEGER NOT NULL,
            account INTEGER NOT NULL,
            realm TEXT NOT NULL,
            app TEXT NOT NULL,
            customer TEXT NOT NULL,
            version INTEGER NOT NULL,
            change_number INTEGER NOT NULL,
            row_count INTEGER NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (partition, account)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX accounts_by_customer ON accounts (partition, realm, app, customer);
        CREATE INDEX accounts_by_app ON accounts (realm, app, account);
        CREATE INDEX accounts_by_number ON accounts (account);

        CREATE TABLE ledger (
            partition INTEGER NOT NULL,
            account INTEGER NOT NULL,
            change INTEGER NOT NULL,
            id INTEGER NOT NULL,
            original_id INTEGER NOT NULL,
            line_item INTEGER,
            order_number INTEGER,
            product TEXT NOT NULL,
            subscription_group TEXT,
            type TEXT NOT NULL,
            purchase_date INTEGER NOT NULL,
            original_purchase_date INTEGER NOT NULL,
            expires_date INTEGER,
            quantity INTEGER NOT NULL,
            app_account_token TEXT,
            ownership TEXT NOT NULL,
            reason TEXT NOT NULL,
            storefront TEXT NOT NULL,
            price INTEGER,
            currency TEXT,
            offer_kind INTEGER,
            offer_id TEXT,
            offer_mode TEXT,
            offer_period TEXT,
            is_upgraded INTEGER NOT NULL,
            revocation_date INTEGER,
            revocation_reason INTEGER,
            revocation_kind TEXT,
            revocation_percentage INTEGER,
            refund_number INTEGER,
            is_finished INTEGER NOT NULL,
            shared_from INTEGER,
            modified_date INTEGER NOT NULL,
            PRIMARY KEY (partition, account, change),
            FOREIGN KEY (partition, account) REFERENCES accounts (partition, account)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX ledger_by_id ON ledger (partition, id);
        CREATE INDEX ledger_by_order ON ledger (partition, order_number) WHERE order_number IS NOT NULL;
        CREATE UNIQUE INDEX ledger_by_refund ON ledger (partition, account, refund_number)
            WHERE refund_number IS NOT NULL;

        CREATE TABLE redemptions (
            realm TEXT NOT NULL,
            app TEXT NOT NULL,
            product TEXT NOT NULL,
            offer TEXT NOT NULL,
            redeemed INTEGER NOT NULL,
            PRIMARY KEY (realm, app, product, offer)
        ) WITHOUT ROWID;
        """

    private static let version2 = """
        CREATE TABLE journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            entry TEXT NOT NULL
        );
        """

    private static let version3 = """
        ALTER TABLE accounts ADD COLUMN clock TEXT NOT NULL DEFAULT '';
        ALTER TABLE accounts ADD COLUMN next_due INTEGER;
        CREATE INDEX accounts_by_due ON accounts (realm, app, clock, next_due, account, customer)
            WHERE next_due IS NOT NULL;

        ALTER TABLE ledger ADD COLUMN billing_plan TEXT;
        ALTER TABLE ledger ADD COLUMN commitment TEXT;

        CREATE TABLE outbox (
            \(outboxColumns),
            PRIMARY KEY (partition, id)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX outbox_by_uuid ON outbox (uuid);
        CREATE INDEX outbox_by_date ON outbox (realm, app, signed_date, id);
        CREATE INDEX outbox_by_account ON outbox (account, signed_date, id) WHERE account IS NOT NULL;

        CREATE TABLE deliveries (
            partition INTEGER NOT NULL,
            notification INTEGER NOT NULL,
            endpoint TEXT NOT NULL,
            realm TEXT NOT NULL,
            app TEXT NOT NULL,
            clock TEXT NOT NULL,
            account INTEGER,
            original_id INTEGER,
            type TEXT NOT NULL,
            subtype TEXT,
            signed_date INTEGER NOT NULL,
            due INTEGER,
            attempts INTEGER NOT NULL,
            is_delivered INTEGER NOT NULL,
            log TEXT NOT NULL,
            PRIMARY KEY (partition, notification, endpoint)
        ) WITHOUT ROWID;
        CREATE INDEX deliveries_due ON deliveries (realm, app, clock, endpoint, due, notification)
            WHERE due IS NOT NULL;
        CREATE INDEX deliveries_by_date ON deliveries (realm, app, endpoint, signed_date, notification)
            WHERE attempts > 0;
        CREATE INDEX deliveries_by_type ON deliveries (realm, app, endpoint, type, signed_date, notification)
            WHERE attempts > 0;
        CREATE INDEX deliveries_failed ON deliveries (realm, app, endpoint, signed_date, notification)
            WHERE attempts > 0 AND is_delivered = 0;
        CREATE INDEX deliveries_by_account ON deliveries (account, endpoint, signed_date, notification)
            WHERE attempts > 0 AND account IS NOT NULL;
        CREATE INDEX deliveries_owed ON deliveries (account) WHERE due IS NOT NULL;
        """

    /// Adds new rows at the end of the table and its indexes, where they fill one page after the other. Before, the key
    /// began with the partition, so new rows were scattered over all pages. The outbox has rowids, because its rows are
    /// too large for a table without them: such a tree had only five branches for each page. The notification's number
    /// is not the rowid, because an index range cannot have the rowid as a bound.
    private static let version4 = """
        DROP INDEX ledger_by_id;
        CREATE UNIQUE INDEX ledger_by_id ON ledger (id);
        DROP INDEX ledger_by_order;
        CREATE INDEX ledger_by_order ON ledger (order_number) WHERE order_number IS NOT NULL;

        CREATE TABLE new_outbox (
            \(outboxColumns)
        );
        INSERT INTO new_outbox
            SELECT partition, id, realm, app, account, original_id, transaction_id, uuid, type, subtype,
                is_triggered, signed_date, chain, body, body_signature, transaction_info, transaction_signature,
                renewal_info, renewal_signature
            FROM outbox ORDER BY id;
        DROP TABLE outbox;
        ALTER TABLE new_outbox RENAME TO outbox;
        CREATE UNIQUE INDEX outbox_by_id ON outbox (id);
        CREATE UNIQUE INDEX outbox_by_uuid ON outbox (uuid);
        CREATE INDEX outbox_by_date ON outbox (realm, app, signed_date, id);
        CREATE INDEX outbox_by_account ON outbox (account, signed_date, id) WHERE account IS NOT NULL;
        """

    /// Adds the app of a document, and a copy of each table in which each row has the name of its snapshot. The copies
    /// have neither keys nor checks: the rows were checked at their source, and are checked again when they are
    /// restored.
    private static let version5 =
        """
        ALTER TABLE documents ADD COLUMN app TEXT;
        UPDATE documents SET app = name WHERE kind IN ('app', 'catalog');
        UPDATE documents SET app = json_extract(body, '$.app') WHERE kind IN ('clock', 'job', 'fault');
        UPDATE documents SET app = json_extract(body, '$.offersOf') WHERE kind = 'key';
        UPDATE documents SET app = substr(name, instr(name, '/') + 1) WHERE kind = 'rules';

        CREATE TABLE snapshots (
            name TEXT NOT NULL PRIMARY KEY,
            app TEXT,
            saved_at INTEGER NOT NULL
        ) WITHOUT ROWID;


        """
        + ["documents", "accounts", "ledger", "redemptions", "outbox", "deliveries"].map { table in
            """
            CREATE TABLE snapshot_\(table) AS SELECT '' AS snapshot, * FROM \(table) WHERE 0;
            CREATE INDEX snapshot_\(table)_by_name ON snapshot_\(table) (snapshot);
            """
        }.joined(separator: "\n\n")

    /// The rows of a snapshot are counted when it is created, so that a list of snapshots need not read them.
    private static let version6 = """
        ALTER TABLE snapshots ADD COLUMN customers INTEGER NOT NULL DEFAULT 0;
        UPDATE snapshots
            SET customers = (SELECT count(*) FROM snapshot_accounts WHERE snapshot = snapshots.name);
        ALTER TABLE snapshots ADD COLUMN transactions INTEGER NOT NULL DEFAULT 0;
        UPDATE snapshots
            SET transactions = (SELECT count(*) FROM snapshot_ledger WHERE snapshot = snapshots.name);
        ALTER TABLE snapshots ADD COLUMN notifications INTEGER NOT NULL DEFAULT 0;
        UPDATE snapshots
            SET notifications = (SELECT count(*) FROM snapshot_outbox WHERE snapshot = snapshots.name);
        """
}

/// Migrates a database to each version in turn.
enum Migrations {
    static var all: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in Migration.all {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        return migrator
    }
}
