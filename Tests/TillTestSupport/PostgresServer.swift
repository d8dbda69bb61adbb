import Foundation
import Synchronization

/// A PostgreSQL server for tests. It listens on a socket in a temporary folder, and runs as an unprivileged user.
/// A shell between the tests and the server reads commands from a pipe. When the pipe closes for any reason, the shell
/// stops the server and removes the folder.
package final class PostgresServer: Sendable {
    /// The folder with the socket and all other files of the server.
    package let folder: String
    private let shell: Mutex<Shell>
    private let databases = Mutex(PostgresDatabases())

    private struct Shell {
        let process: Process
        let commands: FileHandle
        let answers: FileHandle
    }

    private static let common = Result { try PostgresServer() }

    /// The server that all tests of a process share.
    ///
    /// - Throws: `TestPostgresError` when PostgreSQL is not installed or does not start.
    package static func shared() throws -> PostgresServer { try common.get() }

    /// Starts a separate server.
    ///
    /// - Parameter isSafe: Whether acknowledged commits survive a crash of the machine. Few tests need this.
    /// - Throws: `TestPostgresError` when PostgreSQL is not installed or does not start.
    package init(isSafe: Bool = false) throws {
        let programs = try Self.programs()
        // The operating system limits the path of a socket to 107 bytes.
        let temporary = NSTemporaryDirectory()
        let parent = temporary.utf8.count < 60 ? temporary : "/tmp/"
        folder = parent + "till-postgres-" + UUID().uuidString.prefix(8).lowercased()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (commands, answers) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", programs, folder, isSafe ? "on" : "off"]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        // Only the shell may hold the other ends of the pipes. Otherwise it would not notice that the test process has
        // ended.
        try commands.fileHandleForReading.close()
        try answers.fileHandleForWriting.close()
        shell = Mutex(
            Shell(
                process: process,
                commands: commands.fileHandleForWriting,
                answers: answers.fileHandleForReading
            )
        )
        try shell.withLock { try Self.expect("ready", $0, folder) }
    }

    /// The folder with the programs of the newest installed PostgreSQL version.
    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = newest + path.split(separator: ":").map(String.init)
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
            throw TestPostgresError.missing
        }
        return place
    }

    /// PostgreSQL refuses to run as root, so a root process switches to an unprivileged user. That user cannot read
    /// files that root has written.
    private static let script = """
        programs=$1 folder=$2 safe=$3 server=
        trap '' INT TERM HUP
        as=
        if [ "$(id -u)" = 0 ]; then
            user=nobody
            ! id postgres >/dev/null 2>&1 || user=postgres
            as="setpriv --reuid=$user --regid=$(id -g $user) --init-groups --"
            chown "$user" "$folder"
        fi
        cd "$folder" || exit 1
        start() {
            $as "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync="$safe" \\
                -c full_page_writes="$safe" -c max_connections=300 -c autovacuum=off -c checkpoint_timeout=1h \\
                -c max_wal_size=4GB -c wal_level=minimal -c max_wal_senders=0 >>"$folder/log" 2>&1 &
            server=$!
            until "$programs/pg_isready" -q -h "$folder" -U till -d postgres; do
                kill -0 "$server" 2>/dev/null || { echo failed; return; }
                sleep 0.05
            done
            echo ready
        }
        $as "$programs/initdb" -D "$folder/data" -U till --auth=trust --encoding=UTF8 --locale=C --no-sync \\
            >"$folder/log" 2>&1
        start
        # The rows of every table go, the tables stay; what a test before us left running goes first.
        emptying="
            SET session_replication_role = replica;
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid();
            DO \\$\\$
            DECLARE name regclass;
            BEGIN
                FOR name IN SELECT oid FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                        AND relname NOT IN ('migrations', 'identifiers', 'generations')
                LOOP EXECUTE format('DELETE FROM %s', name); END LOOP;
            END \\$\\$;
            DELETE FROM generations WHERE kind <> 'era';
            UPDATE generations SET value = 1;
            UPDATE identifiers SET next = 1;
        "
        while read -r verb name template; do
            case $verb in
                create)
                    "$programs/createdb" -h "$folder" -U till -T "$template" "$name" 2>>"$folder/log" &&
                        echo created || echo failed ;;
                empty)
                    echo "$emptying" | "$programs/psql" -h "$folder" -U till -q -v ON_ERROR_STOP=1 "$name" \
                        >>"$folder/log" 2>&1 && echo emptied || echo failed ;;
                kill) kill -QUIT "$server"; wait "$server"; echo killed ;;
                start) start ;;
            esac
        done
        kill -QUIT "$server" 2>/dev/null
        wait
        cd / && rm -rf "$folder"
        """

    /// Stops the server immediately, without a checkpoint, so that it must recover at the next start.
    package func kill() throws { try say("kill", expecting: "killed") }

    /// Restarts the server, and waits until it has recovered.
    package func start() throws { try say("start", expecting: "ready") }

    /// A database that has tables, but no rows.
    /// PostgreSQL copies more than a thousand files to create a database, so a database that is no longer used is
    /// emptied and reused.
    ///
    /// - Parameter fill: Creates the tables; called once for each server.
    package func database(fill: (String) throws -> Void) throws -> PostgresDatabase {
        try databases.withLock { databases in
            let template = "till_template"
            if !databases.hasTemplate {
                try say("create \(template) template0", expecting: "created")
                try fill(url(of: template))
                databases.hasTemplate = true
            }
            if let name = databases.free() {
                try say("empty \(name)", expecting: "emptied")
                return databases.lend(name, self)
            }
            let name = databases.nextName()
            try say("create \(name) \(template)", expecting: "created")
            return databases.lend(name, self)
        }
    }

    /// A database without tables.
    package func empty() throws -> PostgresDatabase {
        try databases.withLock { databases in
            let name = databases.nextName()
            try say("create \(name) template0", expecting: "created")
            return PostgresDatabase(server: self, name: name)
        }
    }

    /// Reserves the database for as long as its user exists.
    fileprivate func keep(_ name: String, while user: any AnyObject & Sendable) {
        databases.withLock { $0.keep(name, while: user) }
    }

    /// The connection string of a database, for libpq.
    package func url(of database: String) -> String {
        let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? folder
        return "postgres://till@\(host)/\(database)"
    }

    private func say(_ command: String, expecting answer: String) throws {
        try shell.withLock { shell in
            try shell.commands.write(contentsOf: Data((command + "\n").utf8))
            try Self.expect(answer, shell, folder)
        }
    }

    private static func expect(_ wanted: String, _ shell: Shell, _ folder: String) throws {
        var line = ""
        while let byte = try shell.answers.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(Character(Unicode.Scalar(byte)))
        }
        guard line == wanted else {
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
            throw TestPostgresError.failed("\(line.isEmpty ? "no answer" : line): \(log.suffix(1_000))")
        }
    }
}

/// The database of one test. It is reused when this value and all objects passed to `keep(while:)` are released.
package final class PostgresDatabase: Sendable {
    private let server: PostgresServer
    private let name: String
    /// The connection string for libpq.
    package var url: String { server.url(of: name) }

    fileprivate init(server: PostgresServer, name: String) {
        self.server = server
        self.name = name
    }

    /// Reserves the database for as long as this object exists, too.
    package func keep(while user: any AnyObject & Sendable) { server.keep(name, while: user) }
}

/// The databases of a server, each with the objects that use it.
private struct PostgresDatabases {
    var hasTemplate = false
    private var users: [String: [User]] = [:]
    private var count = 0

    private struct User {
        weak var value: (any AnyObject & Sendable)?
    }

    mutating func nextName() -> String {
        count += 1
        return "till_\(count)"
    }

    /// The name of a database that is no longer used; nil if all are in use.
    func free() -> String? {
        users.first { $0.value.allSatisfy { $0.value == nil } }?.key
    }

    mutating func lend(_ name: String, _ server: PostgresServer) -> PostgresDatabase {
        let database = PostgresDatabase(server: server, name: name)
        users[name] = [User(value: database)]
        return database
    }

    mutating func keep(_ name: String, while user: any AnyObject & Sendable) {
        users[name]?.append(User(value: user))
    }
}

/// The reason why no PostgreSQL server is available for the tests.
package enum TestPostgresError: Error, CustomStringConvertible {
    case missing
    case failed(String)

    package var description: String {
        switch self {
        case .missing: "PostgreSQL is not installed, and its tests are required: apt-get install --yes postgresql"
        case .failed(let log): "PostgreSQL failed: \(log)"
        }
    }
}
