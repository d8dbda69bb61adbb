import HTTPTypes
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

    /// Creates the console of a control API.
    ///
    /// - Parameter patience: how long a page waits for an action before it shows the action as in progress.
    package init(_ control: ControlAPI, patience: Duration = .seconds(2)) {
        shop = control.shop
        self.control = ControlCaller(control)
        sessions = Sessions(control.shop, token: control.guardian.isRequired ? control.guardian.token : nil)
        failedTokens = control.guardian.failedTokens
        actions = Actions(self.control, patience: patience, logger: control.shop.logger)
        changeCounter = ChangeCounter(control.shop)
    }

    // MARK: Pages

    /// The page at a URL with the current data.
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
        guard let (page, parameters) = Self.page(at: address) else { throw ControlError.missingPage }
        var request = request(address, session)
        request.parameters = parameters
        request.query = Address.items(address.drop { $0 != "?" }.dropFirst()) ?? []
        (request.refused, request.form) = (refused, form)
        let title: PageValue = ["title": page.menu]
        let values = title.with(try await page.content(request))
        var rendered = render(values, page.template, request, page, effect, action: action)
        if case .text(let target)? = values["redirect"] { rendered.location = target }
        return rendered
    }

    /// The page of a URL and the parameters in its path; nil if there is none. The page's subject may not exist.
    static func page(at address: String) -> (page: ConsolePage, parameters: [String: String])? {
        let path = Address.parts(address.prefix { $0 != "?" }) ?? []
        for page in ConsolePage.all {
            if let parameters = page.parameters(of: path) { return (page, parameters) }
        }
        return nil
    }

    func request(_ address: String, _ session: Session) -> PageRequest {
        PageRequest(
            control: control.acting(for: session.caller),
            shop: shop,
            address: address,
            proof: sessions.proof(for: session)
        )
    }

    /// The page that is shown instead of a page that fails. It still shows the result of an action.
    func errorPage(_ error: ControlError, at address: String, _ session: Session, _ effect: Effect? = nil)
        -> RenderedPage
    {
        let title = error.status == .notFound ? "Not found" : "Error"
        let values: PageValue = ["title": title, "message": error.message]
        var page = render(values, "error", request("/console/", session), nil, effect)
        page.status = error.status
        return page
    }

    /// The sign-in page.
    func signIn(_ session: Session, next: String?, isWrong: Bool = false) -> RenderedPage {
        let request = request("/console/sign-in", session)
        let values: PageValue = [
            "title": "Sign in", "next": Address.local(next) ?? "/console/", "isWrong": isWrong, "proof": request.proof,
        ]
        var page = render(values, "sign-in", request)
        if isWrong { page.status = .forbidden }
        return page
    }

    // MARK: Rendering

    func render(
        _ values: PageValue,
        _ template: String,
        _ request: PageRequest,
        _ page: ConsolePage? = nil,
        _ effect: Effect? = nil,
        action: String? = nil
    ) -> RenderedPage {
        let rendered = Templates.render(template, values)
        let shown = request.refused == nil ? rendered : Folds.unfolding(rendered)
        let effect = effect.map { $0.value(request).with(["isLive": action != nil]) }
        let shownEffect = Templates.render("effect", ["effect": effect])
        // Without a session there are no links to other pages.
        let isInside = template != "sign-in"
        let documentation = (page?.documentation ?? [.console]).listed { $0.value(at: shop.settings.documentation) }
        let layout: PageValue = [
            "title": values["title"], "content": shown, "effect": shownEffect, "band": band(request),
            "searched": values["searched"], "isInside": isInside,
            "places": navigation(page, request, isOfEnvironment: false),
            "environmentPlaces": navigation(page, request, isOfEnvironment: true),
            "documentation": documentation, "hasDocumentation": shop.settings.documentation != nil,
            "app": request.parameters["bundleId"], "environment": request.parameters["environment"],
            "address": page?.isLive == true ? request.address : nil, "action": action,
            "live": LiveRegions.summary(shownEffect + shown, apartFrom: request.once), "proof": request.proof,
            "isSignedIn": sessions.isGuarded && isInside, "version": TillVersion.text, "assets": Assets.version,
        ]
        return RenderedPage(html: Templates.render("layout", layout), once: request.once)
    }

    private func navigation(_ page: ConsolePage?, _ request: PageRequest, isOfEnvironment: Bool) -> PageValue? {
        guard !isOfEnvironment || request.parameters["environment"] != nil else { return nil }
        return ConsolePage.all.filter { $0.menu != nil && $0.isOfEnvironment == isOfEnvironment }.listed {
            ["name": $0.menu, "link": request.link($0), "isCurrent": $0.path == (page?.menuPage ?? page?.path)]
        }
    }
}

/// A page as sent to the browser.
struct RenderedPage: Sendable {
    var html: String
    var status = HTTPResponse.Status.ok
    /// A unique value in the page's forms, so that a form sent twice runs once.
    var once = ""
    /// The page to open instead; nil for a page that is shown.
    var location: String?
}
