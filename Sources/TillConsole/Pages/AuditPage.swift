import TillControl
import TillServer

extension ConsolePage {
    /// The audit log of the control API, newest first.
    static let audit = ConsolePage("/console/audit", "audit", menu: "Audit log", documentation: [.audit]) { page in
        let operations = page.control.changingOperations.map { ($0, Words.sentence($0)) }
        let fields: [FormField] = [
            .init("caller", "Caller", hint: "ci"),
            .init("operationId", "Operation", .suggestions(operations), hint: BuyProduct.operationID),
            .init("bundleId", "App", hint: "com.example.app"), .init("from", "From", .instant),
            .init("to", "To", .instant), .init("failed", "Only failed calls"),
        ]
        let list = try await page.list(of: ListAuditRecords.self, fields) {
            let list = try await page.send(
                ListAuditRecords(
                    caller: page.value("caller"),
                    operationId: page.value("operationId"),
                    bundleId: page.value("bundleId"),
                    failed: page.flag("failed"),
                    from: try page.instant("from"),
                    to: try page.instant("to"),
                    after: page.value("after")
                )
            )
            return (list.records.map(row), list.next)
        }
        return list
    }

    private static func row(of record: AuditRecordInfo) -> PageValue {
        let objects = [record.bundleId, record.environment, record.customer, record.object].compactMap(\.self)
        return [
            "date": Words.time(record.date, isPrecise: true), "caller": record.caller, "address": record.address,
            "operation": record.operationId,
            "objects": objects.joined(separator: " · "), "status": record.status,
            "code": record.result == "ok" ? nil : record.result, "count": record.count.map { "\($0) calls" },
            "style": record.status >= 500 ? "bad" : record.status >= 400 ? "warn" : "good",
        ]
    }
}
