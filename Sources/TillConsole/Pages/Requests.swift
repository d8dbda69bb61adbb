import HTTPTypes
import TillControl
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// Logged requests to the App Store Server API and verifyReceipt, newest first.
    static let requests = ConsolePage(
        "/console/requests",
        "requests",
        menu: "Requests",
        documentation: [.explain, .errors]
    ) { page in
        let apps = try await page.send(ListApps()).map { (value: $0.bundleId, name: $0.bundleId) }
        let fields: [FormField] = [
            .init("bundleId", "App", apps.count > 100 ? .text : .choice(apps), hint: "com.example.app"),
            .init("path", "Path contains", hint: "/inApps/v1/subscriptions"),
            .init("status", "Status or error code", .suggestions(statuses), hint: "404, 4040010"),
            .init("refused", "Only rejected requests"),
        ]
        let list = try await page.list(
            of: ListRequests.self,
            fields,
            isShown: { error, _ in error.status == .badRequest },
            load: {
                let status = page.value("status")
                guard status.map({ Int($0) != nil }) ?? true else {
                    throw ControlError.badForm("status must be a whole number, such as 404 or 4040010.")
                }
                let list = try await page.send(
                    ListRequests(
                        refused: page.flag("refused"),
                        bundleId: page.value("bundleId"),
                        path: page.value("path"),
                        status: status.flatMap { Int($0) },
                        after: page.value("after"),
                        limit: ListLimit.elements
                    )
                )
                return (list.entries.map { value(of: $0, page) }, list.next)
            }
        )
        return list.with(["logsAll": page.shop.settings.requestLogAll])
    }

    /// The statuses and error codes that a filter suggests.
    private static let statuses =
        [("200", "OK"), ("401", "Unauthorized")] + FaultValues.errors.map { (String($0.code), $0.message) }

    /// One request with its bodies and explanation.
    static let request = ConsolePage("/console/requests/{id}", "request", documentation: [.explain, .errors]) { page in
        let request = try await page.send(ExplainRequest(requestId: page.parameters["id"] ?? ""))
        let error = request.errorCode.flatMap { code in FaultValues.errors.first { $0.code == code }?.message }
        let entry = value(of: request, page).with([
            "errorMessage": error, "transaction": await transaction(of: request, page),
            "rule": rule(of: request).map { id in ["id": id, "link": page.link(faults) + "#rule-\(id)"] as PageValue },
        ])
        return [
            "title": "\(request.method) \(request.path)",
            "entry": entry, "list": page.link(requests),
            "sent": request.requestBody.map(indented), "answered": request.responseBody.map(indented),
        ]
    }

    /// The fault rule that caused the answer: the explanation begins with `Fault f1:`.
    private static func rule(of request: RequestInfo) -> String? {
        request.explanation.firstMatch(of: /^Fault ([A-Za-z0-9-]+):/).map { String($0.output.1) }
    }

    /// The transaction in the path, with a link; nil if the app has no such transaction.
    private static func transaction(of request: RequestInfo, _ page: PageRequest) async -> PageValue? {
        guard
            let id = request.path.split(separator: "/").last.map(String.init), !id.isEmpty, id.allSatisfy(\.isNumber),
            let bundleID = request.bundleId,
            let environment = StoreEnvironment(rawValue: request.environment.lowercased())
        else { return nil }
        let app = AppEnvironment(bundleID, environment)
        // The page of a request for an unknown transaction or app has no link.
        guard (try? await page.send(GetTransaction(app: app, transactionId: id))) != nil else { return nil }
        return ["id": id, "link": page.link(.transaction, ["transactionId": id], of: app)]
    }

    /// An entry of the request log.
    static func value(of request: RequestInfo, _ page: PageRequest) -> PageValue {
        let status = request.status
        return [
            "id": request.requestId, "link": page.link(.request, ["id": request.requestId]),
            "date": Words.time(request.date, isPrecise: true),
            "method": request.method, "path": request.path, "status": status, "code": request.errorCode,
            "style": status >= 500 ? "bad" : status >= 400 || request.errorCode != nil ? "warn" : "good",
            "app": request.bundleId, "environment": request.environment, "key": request.keyId,
            "explanation": request.explanation, "milliseconds": request.milliseconds,
        ]
    }

    /// Formats JSON; other text stays unchanged.
    private static func indented(_ text: String) -> String {
        (try? JSONTree.parse(Array(text.utf8), keepsNull: true))?.indented ?? text
    }
}
