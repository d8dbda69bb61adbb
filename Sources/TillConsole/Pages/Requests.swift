import HTTPTypes
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// Logged requests to the App Store Server API and verifyReceipt, newest first.
    static let requests = ConsolePage(
        path: "/console/requests",
        template: Template("requests", PackageResources.requests_mustache)
    ) { page in
        let apps = try await page.ask("listApps")["apps"]?.elements.compactMap { $0["bundleId"]?.text } ?? []
        let filter = FilterForm(
            address: "/console/requests",
            fields: [
                .init("bundleId", "App", apps.count > 100 ? .text(hint: "com.example.app") : .choice(apps)),
                .init("path", "Path contains", .text(hint: "/inApps/v1/subscriptions")),
                .init("status", "Status or error code", .text(hint: "404, 4040010")),
                .init("refused", "Only rejected requests", .flag),
            ]
        )
        let list = try await RequestWords.list(page, filter)
        return PageContent("Requests", ["filter": filter.value(page), "list": list])
    }

    /// One request with its bodies and explanation.
    static let request = ConsolePage(
        path: "/console/requests/{id}",
        template: Template("request", PackageResources.request_mustache)
    ) { page in
        let entry = try await page.ask("explainRequest", ["requestId": page.parameters["id"] ?? ""])
        let words = [entry["method"]?.text, entry["path"]?.text].compactMap(\.self).joined(separator: " ")
        return PageContent(
            words,
            [
                "entry": RequestWords.value(of: entry, page), "list": PageValue(page.link("/console/requests")),
                "sent": PageValue(entry["requestBody"]?.text.map(RequestWords.body)),
                "answered": PageValue(entry["responseBody"]?.text.map(RequestWords.body)),
            ]
        )
    }
}

/// Values for the pages that show entries of the request log.
private enum RequestWords {
    /// A page of the list, or the error of an invalid filter.
    static func list(_ page: PageRequest, _ filter: FilterForm) async throws(ControlError) -> PageValue {
        let after = page.value("after").map { [(name: "after", value: $0)] } ?? []
        let answer: JSONTree
        do {
            answer = try await page.ask(
                "listRequests",
                query: [(name: "limit", value: "50")] + filter.query(page) + after
            )
        } catch {
            guard error.status == .badRequest else { throw error }
            return ["rows": .list([]), "next": .nothing, "error": .text(error.message)]
        }
        let next = answer["next"]?.text.flatMap {
            page.link("/console/requests", query: filter.query(page) + [(name: "after", value: $0)])
        }
        let rows = (answer["entries"]?.elements ?? []).map { value(of: $0, page) }
        return ["rows": .list(rows), "next": PageValue(next), "error": .nothing]
    }

    static func value(of entry: JSONTree, _ page: PageRequest) -> PageValue {
        let id = entry["requestId"]?.text ?? ""
        let status = entry["status"]?.number ?? 0
        let style = status >= 500 ? "bad" : status >= 400 || entry["errorCode"] != nil ? "warn" : "good"
        return [
            "id": .text(id), "link": PageValue(page.link("/console/requests/{id}", ["id": id])),
            "date": Words.time(entry["date"]?.number), "method": PageValue(entry["method"]?.text),
            "path": PageValue(entry["path"]?.text), "status": PageValue(entry["status"]?.text),
            "style": .text(style), "code": PageValue(entry["errorCode"]?.text),
            "app": PageValue(entry["bundleId"]?.text), "environment": PageValue(entry["environment"]?.text),
            "key": PageValue(entry["keyId"]?.text), "explanation": PageValue(entry["explanation"]?.text),
            "milliseconds": PageValue(entry["milliseconds"]?.text),
        ]
    }

    /// Formats JSON; other text stays unchanged.
    static func body(_ text: String) -> String {
        guard let tree = try? JSONTree.parse(Array(text.utf8), keepsNull: true) else { return text }
        return String(decoding: tree.written(), as: UTF8.self)
    }
}
