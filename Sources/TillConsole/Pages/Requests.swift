import HTTPTypes
import TillControl
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// Logged requests to the App Store Server API and verifyReceipt, newest first.
    static let requests = ConsolePage(
        path: "/console/requests",
        template: Template("requests", PackageResources.requests_mustache)
    ) { page in
        let apps = try await page.send(ListApps()).map(\.bundleId)
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

    static let requestPath = "/console/requests/{id}"

    /// One request with its bodies and explanation.
    static let request = ConsolePage(
        path: requestPath,
        template: Template("request", PackageResources.request_mustache)
    ) { page in
        let request = try await page.send(ExplainRequest(requestId: page.parameters["id"] ?? ""))
        return PageContent(
            "\(request.method) \(request.path)",
            [
                "entry": RequestWords.value(of: request, page), "list": PageValue(page.link("/console/requests")),
                "sent": PageValue(request.requestBody.map(RequestWords.body)),
                "answered": PageValue(request.responseBody.map(RequestWords.body)),
            ]
        )
    }
}

/// Values for the pages that show entries of the request log.
enum RequestWords {
    /// A page of the list, or the error of an invalid filter.
    static func list(_ page: PageRequest, _ filter: FilterForm) async throws(ControlError) -> PageValue {
        let list: RequestList
        do {
            list = try await page.send(try request(page))
        } catch {
            guard error.status == .badRequest else { throw error }
            return ["rows": .list([]), "next": .nothing, "error": .text(error.message)]
        }
        let next = list.next.flatMap {
            page.link("/console/requests", query: filter.query(page) + [(name: "after", value: $0)])
        }
        return ["rows": .list(list.entries.map { value(of: $0, page) }), "next": PageValue(next), "error": .nothing]
    }

    private static func request(_ page: PageRequest) throws(ControlError) -> ListRequests {
        let status = page.value("status")
        guard status.map({ Int($0) != nil }) ?? true else {
            throw .badForm("status must be a whole number, such as 404 or 4040010.")
        }
        return ListRequests(
            refused: page.value("refused") == "true" ? true : nil,
            bundleId: page.value("bundleId"),
            path: page.value("path"),
            status: status.flatMap { Int($0) },
            after: page.value("after"),
            limit: 50
        )
    }

    static func value(of request: RequestInfo, _ page: PageRequest) -> PageValue {
        let status = request.status
        let style = status >= 500 ? "bad" : status >= 400 || request.errorCode != nil ? "warn" : "good"
        return [
            "id": .text(request.requestId), "link": PageValue(page.link(toRequest: request.requestId)),
            "date": Words.time(request.date), "method": .text(request.method), "path": .text(request.path),
            "status": PageValue(status), "style": .text(style),
            "code": PageValue(request.errorCode.map { String($0) }),
            "app": PageValue(request.bundleId), "environment": .text(request.environment),
            "key": PageValue(request.keyId), "explanation": .text(request.explanation),
            "milliseconds": PageValue(request.milliseconds.map { String($0) }),
        ]
    }

    /// Formats JSON; other text stays unchanged.
    static func body(_ text: String) -> String {
        guard let tree = try? JSONTree.parse(Array(text.utf8), keepsNull: true) else { return text }
        return String(decoding: tree.written(), as: UTF8.self)
    }
}
