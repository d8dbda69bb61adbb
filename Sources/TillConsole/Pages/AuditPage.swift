import TillControl
import TillServer

extension ConsolePage {
    /// The audit log of the control API, newest first.
    static let audit = ConsolePage(
        path: "/console/audit",
        template: Template("audit", PackageResources.audit_mustache)
    ) { page in
        let filter = FilterForm(
            address: "/console/audit",
            fields: [
                .init("caller", "Caller", .text(hint: "ci")),
                .init("operationId", "Operation", .text(hint: BuyProduct.operationID)),
                .init("bundleId", "App", .text(hint: "com.example.app")),
                .init("from", "From", .instant), .init("to", "To", .instant),
                .init("failed", "Only failed calls", .flag),
            ]
        )
        let list = try await page.send(
            ListAuditRecords(
                caller: page.value("caller"),
                operationId: page.value("operationId"),
                bundleId: page.value("bundleId"),
                failed: page.value("failed") == "true" ? true : nil,
                from: try page.instant("from"),
                to: try page.instant("to"),
                after: page.value("after")
            )
        )
        let next = list.next.flatMap {
            page.link("/console/audit", query: filter.query(page) + [(name: "after", value: $0)])
        }
        return PageContent(
            "Audit log",
            [
                "filter": filter.value(page), "rows": .list(list.records.map(row)), "next": PageValue(next),
            ]
        )
    }

    private static func row(of record: AuditRecordInfo) -> PageValue {
        let objects = [record.bundleId, record.environment, record.customer, record.object].compactMap(\.self)
        return [
            "date": Words.time(record.date), "caller": .text(record.caller), "address": PageValue(record.address),
            "operation": .text(record.operationId), "objects": .text(objects.joined(separator: " · ")),
            "status": PageValue(record.status), "code": PageValue(record.result == "ok" ? nil : record.result),
            "count": PageValue(record.count.map { "\($0) calls" }),
            "style": .text(record.status >= 500 ? "bad" : record.status >= 400 ? "warn" : "good"),
            "id": .text(record.requestId),
        ]
    }
}
