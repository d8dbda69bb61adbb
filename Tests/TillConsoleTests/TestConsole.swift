import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TillServer
import TillShop
import TillTestSupport

@testable import TillConsole

/// A console without a network. `Visitor` keeps a cookie, finds forms, fills them in and sends them.
final class TestConsole: Sendable {
    let test: TestShop
    let console: Console
    private let control: ControlAPI

    /// - Parameter patience: how long a page waits for an operation before it shows the operation as in progress. It is
    ///   long, so that no test depends on the speed of the machine.
    init(
        _ test: TestShop,
        token: String? = nil,
        patience: Duration = .seconds(300),
        failedTokens: FailedTokenLimiter = FailedTokenLimiter()
    ) throws {
        self.test = test
        control = test.controlAPI(ControlGuard(token: token, hosts: [], failedTokens: failedTokens), hasPages: true)
        console = Console(control, patience: patience)
    }

    func visit(_ body: @escaping @Sendable (Visitor) async throws -> Void) async throws {
        try await Application(router: control.router(adding: console.add)).test(.router) { client in
            try await body(Visitor(client))
        }
    }
}

/// A response.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    /// The value of a hidden field of the form with an id.
    func field(_ name: String, in form: String) -> String? {
        guard let begin = text.range(of: "id=\"\(form)\" method") else { return nil }
        let rest = text[begin.upperBound...]
        guard let field = rest.range(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(rest[field.upperBound...].prefix { $0 != "\"" })
    }
}

/// A browser.
actor Visitor {
    private let client: any TestClientProtocol
    private(set) var cookie: String?

    init(_ client: any TestClientProtocol) { self.client = client }

    func get(_ uri: String, headers: HTTPFields = [.accept: "text/html"]) async throws -> Answer {
        try await send(.get, uri, nil, headers)
    }

    func post(_ uri: String, _ fields: [(String, String)], headers: HTTPFields = [:]) async throws -> Answer {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let body = fields.map { "\(Address.escaped($0.0))=\(Address.escaped($0.1))" }.joined(separator: "&")
        return try await send(.post, uri, body, headers)
    }

    /// Fills in a form of a page and sends it.
    func perform(_ operation: String, form: String? = nil, on page: String, _ fields: [(String, String)]) async throws
        -> Answer
    {
        let seen = try await get(page)
        let id = form ?? operation
        var all = fields.filter { !$0.0.isEmpty }
        for name in ["_proof", "_back", "_form", "path.bundleId", "path.environment", "path.customer"]
        where !all.contains(where: { $0.0 == name }) {
            if let value = seen.field(name, in: id) { all.append((name, value)) }
        }
        return try await post("/console/actions/\(operation)", all)
    }

    func send(_ method: HTTPRequest.Method, _ uri: String, _ body: String?, _ headers: HTTPFields) async throws
        -> Answer
    {
        var headers = headers
        if let cookie { headers[.cookie] = "till-console=\(cookie)" }
        let answer = try await client.execute(
            uri: uri,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        ) { Answer(status: $0.status.code, headers: $0.headers, text: String(buffer: $0.body)) }
        if let set = answer.headers[.setCookie], let value = set.split(separator: ";").first {
            cookie = String(value.dropFirst("till-console=".count))
        }
        return answer
    }

    func forget() { cookie = nil }

    func have(_ cookie: String) { self.cookie = cookie }
}
