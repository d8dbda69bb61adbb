import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// Snapshots, and forms to save, restore, export, import and reset the state.
    static let snapshots = ConsolePage(
        path: "/console/snapshots",
        template: Template("snapshots", PackageResources.snapshots_mustache)
    ) { page in
        let all = try await page.send(ListSnapshots())
        let part = ShownPart(all, by: \.name, page, path: "/console/snapshots")
        let apps = try await Choices.apps(page, first: [("", "All apps")])
        let known = try await page.send(ListApps())
        return PageContent(
            "Snapshots",
            [
                "snapshots": .list(part.elements.map { Snapshots.value($0, page) }), "next": part.next,
                "hasSnapshots": .flag(!all.isEmpty),
                "save": ActionForm(
                    SaveSnapshot(name: ""),
                    "Save snapshot",
                    [
                        .init(
                            "path.name",
                            "Name",
                            hint: "fresh",
                            help: "An existing snapshot with this name is replaced."
                        ),
                        .init("bundleId", "Scope", apps),
                    ]
                ).value(page),
                "reset": ActionForm(
                    Reset(),
                    "Reset",
                    [
                        .init("bundleId", "Scope", apps),
                        .init(
                            "everything",
                            "Also delete the configuration",
                            help: "The configuration consists of apps, keys, catalogs, settings and endpoints."
                        ),
                    ],
                    isDestructive: true,
                    confirmation: "Delete this data"
                ).value(page),
                "import": ActionForm(
                    ImportState(),
                    "Import",
                    file: "Exported state (at most 8 MiB)",
                    isDestructive: true,
                    confirmation: "Replace the current data"
                ).value(page),
                "export": .text(Downloads.state()),
                "exports": .list(
                    known.prefix(ShownPartLimit.elements).map {
                        ["name": .text($0.bundleId), "link": .text(Downloads.state(of: $0.bundleId))]
                    }
                ),
            ]
        )
    }
}

/// The parts of the snapshots page.
private enum Snapshots {
    static func value(_ snapshot: SnapshotInfo, _ page: PageRequest) -> PageValue {
        let name = snapshot.name
        return [
            "name": .text(name), "app": PageValue(snapshot.bundleId), "saved": Words.time(snapshot.savedAt),
            "customers": PageValue(snapshot.customers), "transactions": PageValue(snapshot.transactions),
            "notifications": PageValue(snapshot.notifications),
            "restore": ActionForm(
                RestoreSnapshot(name: name),
                "Restore",
                name: name,
                isDestructive: true,
                // A snapshot of one app does not restore teams and their keys.
                confirmation: snapshot.bundleId == nil
                    ? "Discard all changes since the snapshot, including apps, keys, catalogs, settings and endpoints"
                    : "Discard all changes in the app since the snapshot, including its configuration"
            ).value(page),
            "remove": ActionForm(
                RemoveSnapshot(name: name),
                "Delete",
                name: name,
                isDestructive: true,
                confirmation: "Delete this snapshot"
            ).value(page),
        ]
    }
}
