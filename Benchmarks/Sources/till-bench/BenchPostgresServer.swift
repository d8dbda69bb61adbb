import Foundation

/// A separate PostgreSQL server with durable commits. It listens on a socket in a temporary folder and runs as an
/// unprivileged user.
/// A shell runs between the benchmark and the server. When its input is closed for any reason, the shell stops the
/// server and removes the folder.
final class PostgresServer {
    let folder: String
    private let programs: String
    private let child: Child
    /// The write end of the shell's input. Closing it stops the server.
    private let orders: Int32
    private var databases = 0

    init(programs: String) throws {
        self.programs = programs
        let temporary = FileManager.default.temporaryDirectory.path
        // The operating system limits the path of a socket to 107 bytes.
        let parent = temporary.utf8.count < 60 ? temporary : "/tmp"
        folder = parent + "/till-bench-postgres-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (heard, orders) = try Child.ends()
        let (answers, output) = try Child.ends()
        child = try Child(["/bin/sh", "-c", Self.script, "sh", programs, folder], environment: [:], (heard, output, 2))
        self.orders = orders
        close(heard)
        close(output)
        var answer = [UInt8](repeating: 0, count: 64)
        let count = read(answers, &answer, answer.count)
        close(answers)
        guard String(decoding: answer.prefix(max(count, 0)), as: UTF8.self).hasPrefix("ready") else {
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
            throw BenchRefused("PostgreSQL did not start: \(log.suffix(1_000))")
        }
    }

    /// The folder with the programs of the newest installed version.
    static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
        if let place = newest.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/pgbench") }) {
            return place
        }
        throw BenchRefused("PostgreSQL is missing: scripts/install bench, or apt-get install --yes postgresql")
    }

    /// Binds new connections to the second core if the server represents another machine, or to all cores.
    func move(to place: Program.Core) throws {
        let file = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let id = file.split(separator: "\n").first else { throw BenchRefused("PostgreSQL has no process") }
        let last = ProcessInfo.processInfo.processorCount - 1
        let cores = place == .second ? "1" : place == .first ? "0" : "0-\(last)"
        _ = try Program.output(["taskset", "-cp", cores, String(id)])
    }

    /// PostgreSQL refuses to run as root, so root switches to an unprivileged user.
    private static let script = """
        programs=$1 folder=$2 server=
        trap '' INT TERM HUP
        as=
        if [ "$(id -u)" = 0 ]; then
            user=nobody
            ! id postgres >/dev/null 2>&1 || user=postgres
            as="setpriv --reuid=$user --regid=$(id -g $user) --init-groups --"
            chown "$user" "$folder"
        fi
        cd "$folder" || exit 1
        $as "$programs/initdb" -D "$folder/data" -U till --auth=trust --encoding=UTF8 --locale=C >"$folder/log" 2>&1
        $as "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=on \\
            -c synchronous_commit=on -c full_page_writes=on -c shared_buffers=1GB -c max_wal_size=4GB \\
            >>"$folder/log" 2>&1 &
        server=$!
        until "$programs/pg_isready" -q -h "$folder" -U till -d postgres; do
            kill -0 "$server" 2>/dev/null || { echo failed; exit 1; }
            sleep 0.05
        done
        echo ready
        while read -r line; do :; done
        kill -QUIT "$server" 2>/dev/null
        wait
        cd / && rm -rf "$folder"
        """

    /// Creates a database without tables, or a copy of a database that is not in use, and returns its URL.
    func database(like other: String? = nil) throws -> String {
        databases += 1
        let name = "till_\(databases)"
        let template = other?.split(separator: "/").last.map(String.init) ?? "template0"
        _ = try Program.output([programs + "/createdb", "-h", folder, "-U", "till", "-T", template, name])
        let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? folder
        return "postgres://till@\(host)/\(name)"
    }

    /// Runs psql in a database.
    func run(_ sql: String, in url: String) throws {
        _ = try Program.output([programs + "/psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, url])
    }

    /// The rows per second that clients commit, according to pgbench. Each transaction contains this number of rows.
    func commits(rows: Int, clients: Int, seconds: Int, script: String, in url: String) throws -> Double {
        // Each row has eleven hundred bytes, as in the measurement of SQLite.
        let insert = "INSERT INTO bare (body) VALUES (repeat('x', 1100));"
        // The complete transaction needs one round trip, as in Till.
        let group =
            ["\\startpipeline", "BEGIN;"] + Array(repeating: insert, count: rows) + ["COMMIT;", "\\endpipeline"]
        let text = (rows == 1 ? [insert] : group).joined(separator: "\n")
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        return try rate(of: script, clients: clients, seconds: seconds, on: .anywhere, in: url) * Double(rows)
    }

    /// The pages of twenty rows and the next row per second that eight connections read, by a client on the first core.
    func pageReads(of accounts: [Int64], seconds: Int, _ script: String, in url: String) throws -> Double {
        // One statement for all accounts: PostgreSQL plans a statement anew for its first five runs.
        let choices = accounts.enumerated().map { "when :n = \($0.offset) then \($0.element)" }.joined(separator: " ")
        let text = """
            \\set n random(0, \(accounts.count - 1))
            \\set account case \(choices) end
            \\set partition :account & 1023
            SELECT * FROM ledger WHERE partition = :partition AND account = :account ORDER BY change LIMIT 21;
            """
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        return try rate(of: script, clients: 8, seconds: seconds, on: .first, in: url)
    }

    /// The runs of a script per second, according to pgbench.
    private func rate(
        of script: String,
        clients: Int,
        seconds: Int,
        on place: Program.Core,
        in url: String
    ) throws -> Double {
        let output = try Program.output(
            [
                programs + "/pgbench", "-n", "-M", "prepared", "-c", "\(clients)", "-j", "1", "-T", "\(seconds)",
                "-f", script, url,
            ],
            on: place
        )
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw BenchRefused("unexpected output of pgbench:\n\(output)") }
        return rate
    }

    func stop() {
        guard child.isRunning else { return }
        close(orders)
        child.wait()
    }

    deinit { stop() }
}
