import HTTPTypes
import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// The differences of an app between a snapshot and another snapshot, or the current state.
    static let comparison = ConsolePage(
        "/console/comparison",
        "comparison",
        menuPage: ConsolePage.snapshots.path,
        isLive: false,
        documentation: [.snapshots]
    ) { page in
        let title: PageValue = [
            "title": "Compare snapshots", "snapshots": page.link(.snapshots), "box": try await CompareBox.value(page),
        ]
        guard let from = page.value("from") else { return title }
        let heading = "“\(from)” and \(page.value("to").map { "“\($0)”" } ?? "the current state")"
        let asked = title.with(["isAsked": true, "summary": "Differences between \(heading)"])
        do {
            let found = try await page.send(
                CompareSnapshots(
                    name: from,
                    to: page.value("to"),
                    bundleId: page.value("bundleId"),
                    after: page.value("after"),
                    limit: ListLimit.elements
                )
            )
            return asked.with(Differences.value(of: found, page))
        } catch let error as ControlError where [.badRequest, .notFound].contains(error.status) {
            return asked.with(["error": error.message])
        }
    }
}

/// The form that chooses what to compare, shown by `{{>compare-box}}`.
enum CompareBox {
    /// The form; nothing without snapshots.
    static func value(_ page: PageRequest) async throws -> PageValue {
        let names = try await page.send(ListSnapshots()).map(\.name)
        guard !names.isEmpty else { return .nothing }
        let snapshots = names.count > ListLimit.options ? nil : names.map { (value: $0, name: $0) }
        let apps = try await page.send(ListApps()).map { (value: $0.bundleId, name: $0.bundleId) }
        let fields = [
            field("from", "Snapshot", page, snapshots),
            field("to", "Compare with", page, snapshots.map { [("", "The current state")] + $0 }),
            field("bundleId", "App", page, apps.count > ListLimit.options ? nil : [("", "App of the snapshot")] + apps),
        ]
        return ["address": page.link(.comparison), "fields": fields]
    }

    /// A field for `{{>field}}`.
    ///
    /// - Parameter options: nil for a text field.
    private static func field(_ name: String, _ label: String, _ page: PageRequest, _ options: [FormField.Option]?)
        -> PageValue
    {
        let chosen = page.value(name) ?? ""
        return [
            "id": "compare-\(name)", "name": name, "label": label, "isChoice": options != nil,
            "isText": options == nil, "value": chosen,
            "options": options?.listed { ["value": $0.value, "name": $0.name, "isChosen": $0.value == chosen] },
        ]
    }
}

/// The differences as a list that is also readable on a phone.
private enum Differences {
    static func value(of found: SnapshotComparison, _ page: PageRequest) -> PageValue {
        let query = ["from", "to", "bundleId"].compactMap { name in page.value(name).map { (name: name, value: $0) } }
        return [
            "rows": found.differences.listed { row(of: $0, found, page) }, "isEmpty": found.differences.isEmpty,
            "next": found.next.map { page.linkToSelf(query + [(name: "after", value: $0)]) },
        ]
    }

    private static func row(of difference: StateDifference, _ found: SnapshotComparison, _ page: PageRequest)
        -> PageValue
    {
        let name = difference.notificationUUID ?? difference.transactionId ?? difference.customer
        let isNow = found.to == nil && difference.change != .removed
        let app = AppEnvironment(found.bundleId, difference.environment)
        return [
            "object": word(difference.object), "change": difference.change.rawValue, "style": style(difference.change),
            "name": name, "link": isNow ? link(to: difference, app, page) : nil,
            "environment": difference.environment.rawValue,
            "customer": name == difference.customer ? nil : difference.customer,
            "details": difference.notificationType ?? difference.productId, "date": difference.date,
            "hasFields": difference.fields != nil,
            "fields": difference.fields?.listed { field in
                let currency = difference.fields?.first { $0.name == "currency" }
                return [
                    "name": field.name, "before": words(field.before, field.name, currency?.before),
                    "after": words(field.after, field.name, currency?.after),
                ]
            },
        ]
    }

    /// A value as other pages show it: dates and statuses in words.
    private static func words(_ value: String?, _ name: String, _ currency: String?) -> String {
        guard let value else { return "none" }
        guard let number = Int64(value) else { return value }
        return DecodedWords.words(of: number, name, currency: currency) ?? value
    }

    private static func word(_ object: ComparedObject) -> String {
        object.rawValue.prefix(1).uppercased() + object.rawValue.dropFirst()
    }

    private static func style(_ change: DifferenceKind) -> String {
        switch change {
        case .added: "good"
        case .changed: "warn"
        case .removed: "bad"
        }
    }

    private static func link(to difference: StateDifference, _ app: AppEnvironment, _ page: PageRequest) -> String? {
        if let uuid = difference.notificationUUID {
            return page.link(.notification, ["notificationUUID": uuid], of: app)
        }
        if difference.object == .transaction, let id = difference.transactionId {
            return page.link(.transaction, ["transactionId": id], of: app)
        }
        return difference.customer.map { page.link(toCustomer: $0, of: app) }
    }
}
