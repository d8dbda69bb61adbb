import ArgumentParser
import TillControl
import TillCore

struct ResetCommand: DestructiveCommand {
    static let configuration = CommandConfiguration(
        "Deletes all activity: customers, purchases, notifications, clocks and fault rules.",
        name: "reset",
        examples: """
            # keeps apps, keys, catalogs and settings
            till reset --yes
            till reset --app com.example --yes
            # also deletes all apps
            till reset --everything --yes
            """,
        notes: "Waits for running operations to end. Identifiers are never reused. To delete one app completely, use "
            + "till app delete."
    )

    @Option(help: "The app (default: all apps).")
    var app: String?
    @Flag(help: "Also deletes apps, keys, catalogs and settings.")
    var everything = false
    @OptionGroup var replacing: ReplacingOptions
    @OptionGroup var options: ServerOptions

    var confirmation: Confirmation { replacing.confirmation }
    var timeout: Duration { maxWait }

    func request(_ client: ControlClient) -> Reset {
        Reset(bundleId: app, everything: everything, confirm: replacing.confirm)
    }

    func loss(_ client: ControlClient) -> String {
        "Delete \(everything ? "everything" : "all activity") of \(app ?? "all apps")"
    }

    func text(_ answer: Reset.Answer) -> String {
        app.map { everything ? "Deleted \($0)." : "Deleted all activity of \($0)." }
            ?? (everything ? "Deleted everything." : "Deleted all activity.")
    }
}

struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, lists, restores and deletes snapshots of the state of all apps, or of one app.",
        name: "snapshot",
        examples: """
            till snapshot create fresh
            till snapshot restore fresh --yes
            """,
        subcommands: [Create.self, List.self, Restore.self, Delete.self]
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Saves the current state under a name, and replaces an existing snapshot of that name.",
            examples: """
                till snapshot create fresh
                till snapshot create fresh --app com.example.app
                """
        )

        @Argument(help: "The name: letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "The app (default: all apps).")
        var app: String?
        @OptionGroup var options: ServerOptions

        var timeout: Duration { maxWait }

        func request(_ client: ControlClient) -> SaveSnapshot { SaveSnapshot(name: name, bundleId: app) }

        func text(_ snapshot: SnapshotInfo) -> String { "Saved \(SnapshotCommand.words(snapshot))." }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration("Lists the snapshots.", examples: "till snapshot list")

        @OptionGroup var options: ServerOptions

        func request(_ client: ControlClient) -> ListSnapshots { ListSnapshots() }

        func text(_ snapshots: [SnapshotInfo]) -> String {
            Table.list(
                ["SNAPSHOT", "APP", "SAVED", "CUSTOMERS", "TRANSACTIONS", "NOTIFICATIONS"],
                snapshots.map {
                    [
                        $0.name, $0.bundleId ?? "all apps", $0.savedAt.iso8601, String($0.customers),
                        String($0.transactions), String($0.notifications),
                    ]
                },
                empty: "No snapshots."
            )
        }
    }

    struct Restore: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Restores a snapshot exactly as it was saved. It replaces the current state.",
            examples: "till snapshot restore fresh --yes"
        )

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

        func text(_ snapshot: SnapshotInfo) -> String { "Restored \(SnapshotCommand.words(snapshot))." }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes a snapshot.",
            examples: "till snapshot delete fresh --yes"
        )

        @Argument(help: "The name of the snapshot.")
        var name: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var deleted: String { name }

        func request(_ client: ControlClient) -> RemoveSnapshot { RemoveSnapshot(name: name) }

        func loss(_ client: ControlClient) -> String { "Delete the snapshot \(name)" }

        func text(_ answer: RemoveSnapshot.Answer) -> String { "Deleted \(name)." }
    }

    /// `fresh: com.example, 3 customers, 5 transactions, 5 notifications`.
    private static func words(_ snapshot: SnapshotInfo) -> String {
        "\(snapshot.name): \(snapshot.bundleId ?? "all apps"), \(snapshot.customers) customers, "
            + "\(snapshot.transactions) transactions, \(snapshot.notifications) notifications"
    }
}

/// The maximum time of a request, because a reset or a restore waits until running operations have ended.
private let maxWait = Duration.seconds(600)
