import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Snapshots, and forms to save, restore, export, import and reset the state.
    static let snapshots = ConsolePage(
        "/console/snapshots",
        "snapshots",
        menu: "Snapshots",
        documentation: [.snapshots]
    ) { page in
        let scope = FormField("bundleId", "Scope", try await page.apps(first: [("", "All apps")]))
        let replaced = "An existing snapshot with this name is replaced."
        let configuration = "The configuration consists of apps, keys, catalogs, settings and endpoints."
        let snapshots = try await page.table(of: try await page.send(ListSnapshots()), by: \.name) { row(of: $0, page) }
        return snapshots.with([
            "save": page.form(
                SaveSnapshot(name: ""),
                "Save snapshot",
                [.init("path.name", "Name", hint: "fresh", help: replaced), scope]
            ),
            "reset": page.form(
                Reset(),
                "Reset",
                [scope, .init("everything", "Also delete the configuration", help: configuration)],
                isDestructive: true,
                confirmation: "Delete this data"
            ),
            "import": page.form(
                ImportState(),
                "Import",
                file: "Exported state (at most 8 MiB)",
                isDestructive: true,
                confirmation: "Replace the current data"
            ),
            "compare": try await CompareBox.value(page), "export": Downloads.state(),
            "exports": try await page.send(ListApps()).prefix(ListLimit.elements).listed {
                ["name": $0.bundleId, "link": Downloads.state(of: $0.bundleId)]
            },
        ])
    }

    private static func row(of snapshot: SnapshotInfo, _ page: PageRequest) -> PageValue {
        let name = snapshot.name
        // A snapshot of one app does not restore teams and their keys.
        let lost =
            snapshot.bundleId == nil
            ? "Discard all changes since the snapshot, including apps, keys, catalogs, settings and endpoints"
            : "Discard all changes in the app since the snapshot, including its configuration"
        let removal = "Delete this snapshot"
        return [
            "name": name, "app": snapshot.bundleId, "saved": snapshot.savedAt, "customers": snapshot.customers,
            "transactions": snapshot.transactions, "notifications": snapshot.notifications,
            "restore": page.form(
                RestoreSnapshot(name: name),
                "Restore",
                name: name,
                isDestructive: true,
                confirmation: lost
            ),
            "remove": page.form(
                RemoveSnapshot(name: name),
                "Delete",
                name: name,
                isDestructive: true,
                confirmation: removal
            ),
        ]
    }
}
