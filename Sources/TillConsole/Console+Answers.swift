import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillServer
import TillShop

/// The HTTP routes of the console.
extension Console {
    /// Adds the pages to the router of the control API.
    package func add(to router: Router<ControlContext>) {
        for path in ["/console", "/console/**"] {
            router.get(RouterPath(path)) { request, context in
                await answered(request) { try await get($0, from: context.address) }
            }
            router.post(RouterPath(path)) { request, context in
                await answered(request) { try await post($0, from: context.address) }
            }
        }
    }

    private func answered(_ request: Request, _ answer: (Request) async throws -> Response) async -> Response {
        var response: Response
        do {
            response = try await answer(request)
        } catch {
            let error = ControlError(of: error, logger: shop.logger)
            response = Self.response(errorPage(error, at: "/console/", Session(cookie: "")))
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        return response
    }

    // MARK: GET

    private func get(_ request: Request, from remote: SocketAddress?) async throws -> Response {
        if let asset = Assets.response(to: request) { return asset }
        let path = request.uri.path
        if path == "/console" { return Self.redirect("/console/") }
        let query = Address.items(request.uri.query ?? "") ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard let session = try await session(of: request, from: remote) else {
            let visitor = sessions.visitor(of: request)
            if path == "/console/live" { throw ControlError.signedOut }
            if path == "/console/sign-in" {
                return response(signIn(visitor, next: value("next")), visitor, request)
            }
            let address = Address.local(request.uri.description) ?? "/console/"
            return Self.redirect("/console/sign-in?next=\(Address.escaped(address))")
        }
        if path == "/console/live" {
            return try live(session, page: value("page"), action: value("action"), had: value("had") ?? "")
        }
        // A signed-in user needs no sign-in page, and actions have no page of their own.
        if path == "/console/sign-in" || path.hasPrefix("/console/actions/") { return Self.redirect("/console/") }
        if let file = try await Downloads.response(path, query, control.acting(for: session.caller)) { return file }
        guard let address = Address.local(request.uri.description) else { throw ControlError.missingPage }
        return response(await shown(at: address, session), session, request)
    }

    /// The session of a request, whose caller has the client's address; nil if the user must sign in.
    private func session(of request: Request, from address: SocketAddress?) async throws -> Session? {
        guard var session = try await sessions.session(of: request) else { return nil }
        session.caller = session.caller.at(address)
        return session
    }

    /// The page at an address, or an error page if it fails.
    private func shown(
        at address: String,
        _ session: Session,
        _ effect: Effect? = nil,
        action: String? = nil,
        refused: RefusedForm? = nil,
        form: FormData? = nil
    ) async -> RenderedPage {
        do {
            return try await page(at: address, session, effect, action: action, refused: refused, form: form)
        } catch {
            return errorPage(ControlError(of: error, logger: shop.logger), at: address, session, effect)
        }
    }

    private func live(_ session: Session, page: String?, action: String?, had: String) throws -> Response {
        guard let address = Address.local(page), let found = Self.page(at: address), found.page.isLive else {
            throw ControlError.missingPage
        }
        guard seats.take() else {
            throw ControlError.busy(
                "Too many pages are open (limit: \(LiveSeats.limit)). Close other pages and reload this page."
            )
        }
        let stream = LiveStream(
            console: self,
            session: session,
            address: address,
            action: action,
            had: LiveRegions.digests(had)
        )
        let body = ResponseBody { writer in
            defer { seats.leave() }
            try await stream.write(to: &writer)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    // MARK: POST

    private func post(_ request: Request, from address: SocketAddress?) async throws -> Response {
        let path = request.uri.path
        guard ControlGuard.comesFromHere(request) else { throw ControlError.foreign }
        // Before the sign-in, the console reads only small forms without files.
        if path == "/console/sign-in" {
            return try await begin(try await FormData(request, mayHaveFile: false), request, from: address)
        }
        guard let session = try await session(of: request, from: address) else {
            return Self.redirect("/console/sign-in")
        }
        let form = try await FormData(request)
        guard sessions.isProof(form["_proof"], for: session) else { throw ControlError.foreign }
        if path == "/console/sign-out" {
            sessions.end(session)
            var response = Self.redirect("/console/sign-in")
            response.headers[.setCookie] = sessions.header(nil, isSecure: Self.isSecure(request))
            return response
        }
        if Self.page(at: path)?.page.takesForms == true {
            return response(await shown(at: path, session, form: form), session, request)
        }
        let parts = Address.parts(path) ?? []
        guard parts.count == 3, parts[1] == "actions", let operation = control[parts[2]], !operation.isReadOnly else {
            throw ControlError.missing("No such action: \(path).")
        }
        let back = Address.local(form["_back"]) ?? "/console/"
        if needsConfirmation(operation, form) {
            return response(confirmation(of: operation, form, back: back, session), session, request)
        }
        let (effect, name) = await actions.perform(operation, form, by: session)
        var refused: RefusedForm?
        if case .failure(let error)? = effect.outcome {
            refused = RefusedForm(id: form["_form"] ?? "", form: form, error: error)
        }
        var page = await shown(at: back, session, effect, action: name, refused: refused)
        if let refused { page.status = refused.error.status }
        return response(page, session, request)
    }

    private func begin(_ form: FormData, _ request: Request, from address: SocketAddress?) async throws
        -> Response
    {
        guard sessions.isGuarded else { return Self.redirect("/console/") }
        let visitor = sessions.visitor(of: request)
        guard sessions.isProof(form["_proof"], for: visitor) else { throw ControlError.foreign }
        let given = (form["token"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard let session = try await sessions.begin(with: given) else {
            try await failedTokens.refuse("console sign-in rejected", from: address, shop.logger)
            return response(signIn(visitor, next: form["next"], isWrong: true), visitor, request)
        }
        var response = Self.redirect(Address.local(form["next"]) ?? "/console/")
        response.headers[.setCookie] = sessions.header(session, isSecure: Self.isSecure(request))
        return response
    }

    private static func isSecure(_ request: Request) -> Bool {
        request.headers[.origin]?.hasPrefix("https://") == true
    }

    // MARK: Responses

    private func response(_ page: RenderedPage, _ session: Session, _ request: Request) -> Response {
        var response = Self.response(page)
        if session.isNew {
            response.headers[.setCookie] = sessions.header(session, isSecure: Self.isSecure(request))
        }
        return response
    }

    private static func response(_ page: RenderedPage) -> Response {
        if let location = page.location { return redirect(location) }
        return Response(
            status: page.status,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: page.html))
        )
    }

    private static func redirect(_ address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }

    /// Pages load nothing from other origins, run only the console's script, and cannot be framed.
    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        (.xContentTypeOptions, "nosniff"),
        // With `no-referrer`, browsers would send `Origin: null` with forms.
        (.referrerPolicy, "same-origin"),
        (.cacheControl, "no-store"),
    ]
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
}

/// Errors of the console itself. Errors of actions come from the control operations.
extension ControlError {
    static let missingPage = missing("No such page.")
    static let signedOut = ControlError(
        status: .unauthorized,
        code: "signed_out",
        message: "You are signed out. Sign in again."
    )
    static let foreign = ControlError(
        status: .forbidden,
        code: "foreign_form",
        message: "The form is not from this console or is out of date. Reload the page and try again."
    )

    static func missing(_ message: String) -> ControlError {
        ControlError(status: .notFound, code: "no_such_page", message: message)
    }

    static func busy(_ message: String) -> ControlError {
        ControlError(status: .serviceUnavailable, code: "busy", message: message)
    }

    static func badForm(_ reason: String) -> ControlError {
        ControlError(status: .badRequest, code: "bad_form", message: reason)
    }
}
