import TillServer
import TillShop

extension ConsolePage {
    /// States that were saved, and what puts one in place of the present one.
    static let snapshots = ConsolePage(
        path: "/console/snapshots",
        template: Template("snapshots", PackageResources.snapshots_mustache)
    ) { page in
        let all = try await page.ask("listSnapshots")["snapshots"]?.elements ?? []
        let part = ShownPart(all, by: "name", page, path: "/console/snapshots")
        let apps = try await Choices.apps(page, first: [("", "The whole shop")])
        let known = try await page.ask("listApps")["apps"]?.elements ?? []
        return PageContent(
            "Snapshots",
            [
                "snapshots": .list(part.elements.map { Snapshots.value($0, page) }), "next": part.next,
                "hasSnapshots": .flag(!all.isEmpty),
                "save": ActForm(
                    "saveSnapshot",
                    "Save",
                    [
                        .init("path.name", "Name", hint: "fresh", help: "What was saved under it before is replaced."),
                        .init("bundleId", "Of", apps),
                    ]
                ).value(page),
                "reset": ActForm(
                    "reset",
                    "Reset",
                    [
                        .init("bundleId", "Of", apps),
                        .init(
                            "everything",
                            "Also what was set up",
                            help: "Apps, keys, catalogues, rules and endpoints; else they stay."
                        ),
                    ],
                    isGrave: true,
                    confirmation: "Erase it"
                ).value(page),
                "take": ActForm(
                    "importState",
                    "Take it in",
                    file: "A state that was written out, at most 8 MiB",
                    isGrave: true,
                    confirmation: "Put it in place of what is there"
                ).value(page),
                "export": .text(Downloads.state()),
                "exports": .list(
                    known.prefix(ShownPart.most).compactMap { $0["bundleId"]?.text }.map {
                        ["name": .text($0), "link": .text(Downloads.state(of: $0))]
                    }
                ),
            ]
        )
    }
}

/// The parts of the snapshots' page.
private enum Snapshots {
    static func value(_ snapshot: JSONTree, _ page: PageRequest) -> PageValue {
        let name = snapshot["name"]?.text ?? ""
        let parameters = ["name": name]
        return [
            "name": .text(name), "app": PageValue(snapshot["bundleId"]?.text),
            "saved": Words.time(snapshot["savedAt"]?.number), "customers": PageValue(snapshot["customers"]?.text),
            "transactions": PageValue(snapshot["transactions"]?.text),
            "notifications": PageValue(snapshot["notifications"]?.text),
            "restore": ActForm(
                "restoreSnapshot",
                "Restore",
                parameters: parameters,
                name: name,
                isGrave: true,
                // Of one app, teams and their keys stay.
                confirmation: snapshot["bundleId"] == nil
                    ? "Lose what happened since, and apps, keys, catalogues, rules and endpoints set up since"
                    : "Lose what happened in the app since, and what was set up in it"
            ).value(page),
            "remove": ActForm(
                "removeSnapshot",
                "Remove",
                parameters: parameters,
                name: name,
                isGrave: true,
                confirmation: "Forget it"
            ).value(page),
        ]
    }
}
