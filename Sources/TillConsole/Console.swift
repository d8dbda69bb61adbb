import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TillServer
import TillShop

/// The pages of the control port (docs/console.md). They use the shop only through operations of the control API: a
/// page shows their responses, and a form's fields become the body of an operation. So the console contains no business
/// logic.
package struct Console: Sendable {
    let shop: Shop
    let control: ControlCaller
    let sessions: Sessions
    let failedTokens: FailedTokenLimiter
    let actions: Actions
    let changeCounter: ChangeCounter
    let seats = LiveSeats()
    let livePages = LivePages()
    private let pages: [ConsolePage]
    private let templates: Templates
    private let known: Set<String>

    /// Creates the console of a control API.
    ///
    /// - Throws: an error if a template does not parse.
    package init(_ control: ControlAPI) throws {
        try self.init(control, pages: ConsolePage.all)
    }

    init(_ control: ControlAPI, pages: [ConsolePage], patience: Duration = .seconds(2)) throws {
        shop = control.shop
        self.control = ControlCaller(control)
        sessions = Sessions(control.shop, token: control.guardian.isRequired ? control.guardian.token : nil)
        failedTokens = control.guardian.failedTokens
        actions = Actions(self.control, patience: patience, logger: control.shop.logger)
        changeCounter = ChangeCounter(control.shop)
        self.pages = pages
        known = Set(pages.map(\.path))
        let signIn = Template("sign-in", PackageResources.sign_in_mustache)
        templates = try Templates(Template.parts + [signIn] + pages.map(\.template))
    }

    // MARK: Pages

    /// The page at an address with the current data.
    ///
    /// - Parameters:
    ///   - effect: the result of an action, shown above the page.
    ///   - action: the identifier of an action that is in progress.
    ///   - refused: a rejected form, which keeps the entered values.
    ///   - form: a form sent to the page itself.
    /// - Throws: `ControlError` if the page or its subject does not exist.
    func page(
        at address: String,
        _ session: Session,
        _ effect: Effect? = nil,
        action: String? = nil,
        refused: RefusedForm? = nil,
        form: FormData? = nil
    ) async throws -> RenderedPage {
        let (page, request) = try found(address, session, refused, form)
        let content = try await page.content(request)
        let values = PageValue.object(content.values)
        return render(content.title, page.template.name, values, request, page, effect, action: action)
    }

    private func found(_ address: String, _ session: Session, _ refused: RefusedForm?, _ form: FormData?) throws -> (
        ConsolePage, PageRequest
    ) {
        let parts = address.split(separator: "?", maxSplits: 1)
        let path = parts.first.flatMap { Address.parts($0) } ?? []
        let query = Address.items(parts.count > 1 ? parts[1] : "") ?? []
        for page in pages {
            guard let parameters = page.parameters(of: path) else { continue }
            return (page, request(address, session, parameters, query, refused, form))
        }
        throw ControlError.missingPage
    }

    /// Whether an address belongs to a page; the page's subject may not exist.
    func hasPage(at address: String) -> Bool {
        let parts = Address.parts(address.prefix { $0 != "?" }) ?? []
        return pages.contains { $0.parameters(of: parts) != nil }
    }

    /// Whether the page at a path accepts forms.
    func takesForms(at path: String) -> Bool {
        let parts = Address.parts(path) ?? []
        return pages.contains { $0.takesForms && $0.parameters(of: parts) != nil }
    }

    func request(
        _ address: String,
        _ session: Session,
        _ parameters: [String: String] = [:],
        _ query: [(name: String, value: String)] = [],
        _ refused: RefusedForm? = nil,
        _ form: FormData? = nil
    ) -> PageRequest {
        PageRequest(
            control: control.acting(for: session.caller),
            shop: shop,
            parameters: parameters,
            query: query,
            address: address,
            proof: sessions.proof(for: session),
            once: Sessions.random(),
            refused: refused,
            form: form,
            known: known
        )
    }

    /// The page that is shown instead of a page that fails. It still shows the result of an action.
    func errorPage(_ error: ControlError, at address: String, _ session: Session, _ effect: Effect? = nil)
        -> RenderedPage
    {
        let title = error.status == .notFound ? "Not found" : "Error"
        let values: PageValue = ["message": .text(error.message)]
        var page = render(title, "error", values, request("/console/", session), nil, effect, action: nil)
        page.status = error.status
        return page
    }

    /// The sign-in page.
    func signIn(_ session: Session, next: String?, isWrong: Bool = false) -> RenderedPage {
        let request = request("/console/sign-in", session)
        let values: PageValue = [
            "next": .text(Address.local(next) ?? "/console/"), "isWrong": .flag(isWrong), "proof": .text(request.proof),
        ]
        var page = render("Sign in", "sign-in", values, request, nil, nil, action: nil)
        if isWrong { page.status = .forbidden }
        return page
    }

    // MARK: Rendering

    func render(
        _ title: String,
        _ template: String,
        _ values: PageValue,
        _ request: PageRequest,
        _ page: ConsolePage?,
        _ effect: Effect?,
        action: String?
    ) -> RenderedPage {
        let content = templates.render(template, values.with(["title": .text(title)]))
        let effect = effect.map { $0.value(request).with(["isLive": .flag(action != nil)]) } ?? .nothing
        let shownEffect = templates.render("effect", ["effect": effect])
        // Without a session there are no links to other pages.
        let isInside = template != "sign-in"
        let layout: PageValue = [
            "title": .text(title), "content": .text(content), "effect": .text(shownEffect),
            "band": PageValue(band(request)),
            "places": .list(isInside ? navigation(page, request, isOfEnvironment: false) : []),
            "environmentPlaces": .list(navigation(page, request, isOfEnvironment: true)),
            "app": PageValue(request.parameters["bundleId"]),
            "environment": PageValue(request.parameters["environment"]),
            "address": PageValue(page == nil ? nil : request.address), "action": PageValue(action),
            "live": .text(LiveRegions.summary(shownEffect + content, apartFrom: request.once)),
            "proof": .text(request.proof),
            "isSignedIn": .flag(sessions.isGuarded && isInside), "version": .text(TillVersion.text),
            "assets": .text(Assets.version),
        ]
        return RenderedPage(html: templates.render("layout", layout), once: request.once)
    }

    private func navigation(_ page: ConsolePage?, _ request: PageRequest, isOfEnvironment: Bool) -> [PageValue] {
        guard !isOfEnvironment || request.parameters["environment"] != nil else { return [] }
        return NavigationItem.all.filter { $0.isOfEnvironment == isOfEnvironment }.compactMap { item in
            request.link(item.path).map { link in
                ["name": .text(item.name), "link": .text(link), "isCurrent": .flag(item.path == page?.path)]
            }
        }
    }
}

/// A page as sent to the browser.
struct RenderedPage: Sendable {
    var html: String
    var status = HTTPResponse.Status.ok
    /// A unique value in the page's forms, so that a form sent twice runs once.
    var once = ""
}
