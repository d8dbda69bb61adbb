import ArgumentParser
import TillControl
import TillCore
import TillJSON

struct ResetCommand: DeletingCommand {
    static let summary = "Deletes all activity: customers, purchases, notifications, clocks and fault rules."
    static let examples = """
        # keeps apps, keys, catalogs and settings
        till reset --yes
        till reset --app com.example --yes
        # also deletes all apps
        till reset --everything --yes
        """
    static let notes =
        "Waits for running operations to end. Identifiers are never reused. To delete one app completely, use "
        + "till app delete."

    @Option(help: "The app (default: all apps).")
    var app: String?
    @Flag(help: "Also deletes apps, keys, catalogs and settings.")
    var everything = false
    @OptionGroup var replacing: ReplacingOptions
    @OptionGroup var options: ServerOptions

    var confirmation: Confirmation { replacing.confirmation }
    var timeout: Duration { maxWait }
    var deleted: JSONTree { .string(app ?? "all") }

    func request(_ client: ControlClient) -> any ControlRequest {
        Reset(bundleId: app, everything: everything, confirm: replacing.confirm)
    }

    func loss(_ client: ControlClient) -> String {
        "Delete \(everything ? "everything" : "all activity") of \(app ?? "all apps")"
    }

    func heading(_ answer: Deletion) -> String? {
        let all = everything ? "everything" : "all activity"
        guard let app else { return "Deleted \(all)." }
        return everything ? "Deleted \(app)." : "Deleted \(all) of \(app)."
    }
}

struct SnapshotCommand: DocumentedCommand {
    static let summary =
        "Creates, lists, compares, restores and deletes snapshots of the state of all apps, or of one app."
    static var subcommands: Subcommands { [Create.self, List.self, Compare.self, Restore.self, Delete.self] }

    struct Create: SendingCommand {
        static let summary = "Saves the current state under a name, and replaces an existing snapshot of that name."
        static let examples = """
            till snapshot create fresh
            till snapshot create fresh --app com.example.app
            """

        @Argument(help: "The name: letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "The app (default: all apps).")
        var app: String?
        @OptionGroup var options: ServerOptions

        var timeout: Duration { maxWait }

        func request(_ client: ControlClient) -> SaveSnapshot { SaveSnapshot(name: name, bundleId: app) }

        func text(_ snapshot: SnapshotInfo) -> String { "Saved \(snapshot.words)." }
    }

    struct List: SendingCommand {
        static let summary = "Lists the snapshots."
        static let examples = "till snapshot list"

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListSnapshots { ListSnapshots() }
    }

    struct Compare: SendingCommand {
        static let summary = "Shows what was added, changed or removed in an app since a snapshot."
        static let examples = """
            # a snapshot and the current state
            till snapshot compare fresh
            till snapshot compare fresh bought --app com.example.app
            """

        @Argument(help: "The name of the earlier snapshot.")
        var from: String
        @Argument(help: "The name of the later snapshot (default: the current state).")
        var to: String?
        @Option(help: "The app (default: that of the snapshot, or the only app).")
        var app: String?
        @Option(help: "The value of next from the previous page.")
        var after: String?
        @Option(help: "The maximum number of differences, 1 to 200 (default 50).")
        var limit: Int?
        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> CompareSnapshots {
            CompareSnapshots(name: from, to: to, bundleId: app, after: after, limit: limit)
        }
    }

    struct Restore: SendingCommand, DestructiveCommand {
        static let summary = "Restores a snapshot exactly as it was saved. It replaces the current state."
        static let examples = "till snapshot restore fresh --yes"

        @Argument(help: "The name of the snapshot.")
        var name: String
        @OptionGroup var replacing: ReplacingOptions
        @OptionGroup var options: ServerOptions

        var confirmation: Confirmation { replacing.confirmation }
        var timeout: Duration { maxWait }

        func request(_ client: ControlClient) -> RestoreSnapshot {
            RestoreSnapshot(name: name, confirm: replacing.confirm)
        }

        func loss(_ client: ControlClient) -> String { "Replace the current state with the snapshot \(name)" }

        func text(_ snapshot: SnapshotInfo) -> String { "Restored \(snapshot.words)." }
    }

    struct Delete: DeletingCommand {
        static let summary = "Deletes a snapshot."
        static let examples = "till snapshot delete fresh --yes"

        @Argument(help: "The name of the snapshot.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: JSONTree { .string(name) }

        func request(_ client: ControlClient) -> any ControlRequest { RemoveSnapshot(name: name) }

        func loss(_ client: ControlClient) -> String { "Delete the snapshot \(name)" }
    }
}

extension SnapshotInfo: TableRow {
    static let headings = ["SNAPSHOT", "APP", "SAVED", "CUSTOMERS", "TRANSACTIONS", "NOTIFICATIONS"]
    static let empty = "No snapshots."
    var cells: [String?] {
        [
            name, bundleId ?? "all apps", savedAt.iso8601, "\(customers)", "\(transactions)",
            "\(notifications)",
        ]
    }

    /// `fresh: com.example, 3 customers, 5 transactions, 5 notifications`.
    fileprivate var words: String {
        "\(name): \(bundleId ?? "all apps"), \(customers) customers, \(transactions) transactions, "
            + "\(notifications) notifications"
    }
}

extension SnapshotComparison: TableAnswer {
    var rows: [StateDifference] { differences }
    var empty: String { next == nil ? StateDifference.empty : "No differences so far." }
}

extension StateDifference: TableRow {
    static let headings = ["CHANGE", "OBJECT", "ENVIRONMENT", "CUSTOMER", "ID", "DETAILS"]
    static let empty = "No differences."
    var cells: [String?] {
        let changes = fields?.map { "\($0.name): \($0.before ?? "-") -> \($0.after ?? "-")" }.joined(separator: "; ")
        return [
            change.rawValue, object.rawValue, environment.rawValue, customer, notificationUUID ?? transactionId,
            changes ?? notificationType ?? productId,
        ]
    }
}

/// The maximum time of a request, because a reset or a restore waits until running operations have ended.
private let maxWait = Duration.seconds(600)
