import TillServer
import TillShop

/// Changes for many customers at once, as `{{>jobs}}` shows them on the environment's page.
enum Jobs {
    private static let most = 10

    static func value(_ page: PageRequest) async throws -> PageValue {
        let jobs = try await page.ask("listJobs")["jobs"]?.elements ?? []
        let now = try await page.ask("getClock")["now"]?.number
        return [
            // By when they take effect: the last of them first.
            "rows": .list(jobs.suffix(most).reversed().map { row($0, now, page) }),
            "isCutShort": .flag(jobs.count > most), "hasJobs": .flag(!jobs.isEmpty), "extend": extend.value(page),
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
            "succeeded": .text(succeeded == 1 ? "1 account" : "\(succeeded) accounts"),
            "failed": PageValue(failed == 0 ? nil : failed.description),
        ]
    }

    private static func words(_ kind: String) -> String {
        switch kind {
        case "raisePrice": "A higher price"
        case "extend": "An extension"
        case "shareProduct": "Family sharing"
        default: Words.sentence(kind)
        }
    }

    private static var extend: ActForm {
        ActForm(
            "extendAll",
            "Extend",
            [
                .init("productId", "Product", hint: "com.example.month"), .init("days", "Days", value: "30"),
                SubscriptionCard.extensionReason,
                .init("storefronts", "Only these storefronts, one a line", hint: "DEU"),
            ]
        )
    }
}
