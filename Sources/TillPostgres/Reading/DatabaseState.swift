/// The existing content of a database, which determines whether Till may use it.
struct DatabaseState {
    /// The versions of Till's tables; empty if there are no tables at all.
    let versions: [Int64]

    /// Reads the system catalogs first, because the columns of another program's tables are unknown.
    ///
    /// - Throws: `PostgresRefused` if the database has tables of another program or of a newer version of Till, or if
    ///   privileges are missing.
    init(of session: Session, at place: String, knowing migrations: [Migration]) throws {
        guard try session.run(script: "SELECT current_schema()").first?.maybeText(0) != nil else {
            throw PostgresRefused.noPrivileges(place, "no schema may be used")
        }
        let relations = try session.run(script: Self.relations).map {
            (name: try $0.text(0), isHere: try $0.text(1) == "t")
        }
        let strangers = relations.filter { $0.isHere && $0.name != "migrations" }.map(\.name)
        var versions: [Int64] = []
        if let table = relations.first(where: { $0.name == "migrations" }) {
            if try session.run(script: Self.columns).first?.maybeText(0) == "version bigint,name text" {
                versions = try Self.versions(session, place, migrations)
            } else if table.isHere {
                throw PostgresRefused.notTills(place, table.name)
            }
        }
        if versions.isEmpty, let stranger = strangers.first { throw PostgresRefused.notTills(place, stranger) }
        self.versions = versions
    }

    private static func versions(
        _ session: Session,
        _ place: String,
        _ migrations: [Migration]
    ) throws -> [Int64] {
        let done = try session.run(script: "SELECT version, name FROM migrations").map {
            (version: Int64(try $0.text(0)) ?? 0, name: try $0.text(1))
        }
        let names = Dictionary(uniqueKeysWithValues: migrations.map { ($0.version, $0.name) })
        // The `migrations` table of another program has other names. The table of a newer Till has all of these names
        // and more.
        let isTills = done.allSatisfy { names[$0.version] ?? $0.name == $0.name }
        guard done.isEmpty || isTills && done.contains(where: { $0.version == migrations.first?.version }) else {
            throw PostgresRefused.notTills(place, "migrations")
        }
        guard done.allSatisfy({ names[$0.version] != nil }) else { throw PostgresRefused.newer(place) }
        return done.map(\.version)
    }

    /// - Throws: `PostgresRefused.noPrivileges` with one of Till's tables that the role may not use.
    static func requirePrivileges(_ session: Session, at place: String, writing: Bool) throws {
        let privileges = ["SELECT"] + (writing ? ["INSERT", "UPDATE", "DELETE"] : [])
        let tests = privileges.map { "pg_catalog.has_table_privilege(c.oid, '\($0)')" }.joined(separator: " AND ")
        let refused = try session.run(
            script: """
                SELECT c.relname FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_class m
                    ON m.oid = to_regclass('migrations') AND c.relnamespace = m.relnamespace AND c.relowner = m.relowner
                WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid <> m.oid AND NOT (\(tests))
                ORDER BY 1 LIMIT 1
                """
        )
        if let table = try refused.first?.text(0) {
            let needed = privileges.joined(separator: ", ")
            throw PostgresRefused.noPrivileges(place, "\(needed) on \(table) and the other tables")
        }
    }

    /// The relations in the schema where Till would create its tables, without those of extensions, and a visible
    /// `migrations` table. This is one statement, because another node may create its tables between two statements.
    private static let relations = """
        SELECT c.relname, n.nspname IS NOT DISTINCT FROM current_schema() FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT c.relispartition
            AND (n.nspname = current_schema() OR c.relname = 'migrations' AND pg_catalog.pg_table_is_visible(c.oid))
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
            )
        ORDER BY 1
        """

    private static let columns = """
        SELECT string_agg(attname || ' ' || pg_catalog.format_type(atttypid, NULL), ',' ORDER BY attnum)
        FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass('migrations') AND attnum > 0 AND NOT attisdropped
        """
}
