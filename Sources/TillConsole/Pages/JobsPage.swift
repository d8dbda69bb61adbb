import TillJSON
import TillServer
import TillShop

/// Bulk operations, shown by `{{>jobs}}` on the environment page.
enum Jobs {
    private static let maxShown = 10

    static func value(_ page: PageRequest) async throws -> PageValue {
        let jobs = try await page.ask("listJobs")["jobs"]?.elements ?? []
        let now = try await page.ask("getClock")["now"]?.number
        return [
            // Sorted by effective date, latest first.
            "rows": .list(jobs.suffix(maxShown).reversed().map { row($0, now, page) }),
            "isCutShort": .flag(jobs.count > maxShown), "hasJobs": .flag(!jobs.isEmpty), "extend": extend.value(page),
        ]
    }

    private static func row(_ job: JSONTree, _ now: Int64?, _ page: PageRequest) -> PageValue {
        let product = job["productId"]?.text ?? ""
        let (succeeded, failed) = (job["succeeded"]?.number ?? 0, job["failed"]?.number ?? 0)
        return [
            "id": PageValue(job["jobId"]?.text), "kind": .text(words(job["kind"]?.text ?? "")),
            "product": .text(product),
            "link": PageValue(
                page.link("/console/apps/{bundleId}/{environment}/catalog/{productId}", ["productId": product])
            ),
            "time": Words.time(job["effectiveDate"]?.number, from: now), "state": PageValue(job["state"]?.text),
            "style": .text(job["state"]?.text == "done" ? "good" : "warn"),
            "succeeded": .text(succeeded == 1 ? "1 customer" : "\(succeeded) customers"),
            "failed": PageValue(failed == 0 ? nil : failed.description),
        ]
    }

    private static func words(_ kind: String) -> String {
        switch kind {
        case "raisePrice": "Price increase"
        case "extend": "Extension"
        case "shareProduct": "Family Sharing"
        default: Words.sentence(kind)
        }
    }

    private static var extend: ActionForm {
        ActionForm(
            "extendAll",
            "Extend renewal date for all subscribers",
            [
                .init("productId", "Product", hint: "com.example.month"), .init("days", "Days", value: "30"),
                SubscriptionCard.extensionReason,
                .init("storefronts", "Storefronts, one per line (empty: all)", hint: "DEU"),
            ]
        )
    }
}
