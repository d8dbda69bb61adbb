import TillControl
import TillServer
import TillShop

/// Bulk operations, shown by `{{>jobs}}` on the environment page.
enum Jobs {
    private static let maxShown = 10

    static func value(_ page: PageRequest) async throws -> PageValue {
        let app = try page.app
        let jobs = try await page.send(ListJobs(app: app))
        let now = try await page.send(GetClock(app: app)).now
        return [
            // Sorted by effective date, latest first.
            "rows": .list(jobs.suffix(maxShown).reversed().map { row($0, now, page) }),
            "isCutShort": .flag(jobs.count > maxShown), "hasJobs": .flag(!jobs.isEmpty),
            "extend": extend(app).value(page),
        ]
    }

    private static func row(_ job: JobInfo, _ now: Timestamp, _ page: PageRequest) -> PageValue {
        [
            "id": .text(job.jobId), "kind": .text(words(job.kind)), "product": .text(job.productId),
            "link": PageValue(page.link(toProduct: job.productId)),
            "time": Words.time(job.effectiveDate, from: now), "state": .text(job.state.rawValue),
            "style": .text(job.state == .done ? "good" : "warn"),
            "succeeded": .text(job.succeeded == 1 ? "1 customer" : "\(job.succeeded) customers"),
            "failed": PageValue(job.failed == 0 ? nil : job.failed.description),
        ]
    }

    private static func words(_ kind: JobKind) -> String {
        switch kind {
        case .raisePrice: "Price increase"
        case .extend: "Extension"
        case .shareProduct: "Family Sharing"
        }
    }

    private static func extend(_ app: AppEnvironment) -> ActionForm {
        ActionForm(
            ExtendAll(app: app, productId: "", days: 30),
            "Extend renewal date for all subscribers",
            [
                .init("productId", "Product", hint: "com.example.month"), .init("days", "Days"),
                SubscriptionCard.extensionReason,
                .init("storefronts", "Storefronts, one per line (empty: all)", hint: "DEU"),
            ]
        )
    }
}
