import GRDB

/// The tables, version by version. Migrations only go forward, and one that was released is never edited.
enum Migrations {
    static var all: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 documents, accounts and ledger") { try version1($0) }
        migrator.registerMigration("2 journal") { try version2($0) }
        return migrator
    }

    private static func version1(_ db: Database) throws {
        try db.execute(
            sql: """
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
        )
    }

    private static func version2(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE journal (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    id TEXT NOT NULL UNIQUE,
                    entry TEXT NOT NULL
                );
                """
        )
    }
}
