import Crypto
import Foundation
import HTTPTypes
import Logging
import Synchronization
import TillServer
import TillShop

/// Acts that forms ask for. One that takes long goes on by itself, and the page is told of its end while it is open. A
/// form that is sent twice acts once, and shows what it caused again.
final class Acts: Sendable {
    private struct Entry {
        var effect: Effect
        let begun: ContinuousClock.Instant
        /// What was sent; nil for what acts as often as it is sent.
        let form: SentForm?
        /// Who waits for the end.
        var waiting: [AsyncStream<Void>.Continuation] = []
        /// When the end was shown for the first time.
        var told: ContinuousClock.Instant?

        func isNeeded(at now: ContinuousClock.Instant) -> Bool {
            guard effect.outcome != nil else { return true }
            return told.map { now - $0 < Acts.remembered } ?? (now - begun < Acts.kept)
        }
    }

    private enum Beginning {
        case new(String)
        case again(String)
        case full
    }

    private let verbs: ControlVerbs
    private let logger: Logger
    private let entries = Mutex<[String: Entry]>([:])
    /// How long a page waits for an act before it is shown without its end.
    private let patience: Duration
    /// Acts that go on while nobody waits, or whose end nobody has seen yet.
    private static let most = 256
    /// Acts whose end was shown, to be shown again where their form is sent again.
    private static let mostTold = 256
    /// After so long nobody asks for the end of an act any more.
    private static let kept = Duration.seconds(3_600)
    /// After so long nobody presses a button for the second time.
    private static let remembered = Duration.seconds(600)

    init(_ verbs: ControlVerbs, patience: Duration = .seconds(2), logger: Logger) {
        self.verbs = verbs
        self.logger = logger
        self.patience = patience
    }

    /// Does what a form asks for, unless the same was sent a moment ago.
    ///
    /// - Returns: what it caused, and while it goes on the name by which `effect(of:)` knows it.
    func perform(_ verb: ControlVerb, _ form: FormData, by session: Session? = nil) async -> (
        effect: Effect, name: String?
    ) {
        let parameters = FormBody.parameters(form)
        let isDry = form["dryRun"] == "true"
        let title = Self.title(verb) + (isDry ? ": what it would do; nothing has happened" : "")
        let name: String
        switch begin(Effect(title: title, parameters: parameters), SentForm(form, verb, session)) {
        case .full:
            let error = ControlError.busy("Too many acts are under way. Try again.")
            return (Effect(title: title, outcome: .failure(error), parameters: parameters), nil)
        case .again(let earlier): name = earlier
        case .new(let new):
            name = new
            // Nobody who closes the page takes back what it began.
            Task { [self] in end(new, await outcome(of: verb, parameters, form)) }
        }
        await waitForEnd(of: name)
        guard let effect = self.effect(of: name) else {
            return (Effect(title: title, parameters: parameters), nil)
        }
        return (effect, effect.outcome == nil ? name : nil)
    }

    /// What an act that went on by itself has caused by now. Its end is told once, unless its form may come again.
    func effect(of name: String) -> Effect? {
        let now = ContinuousClock().now
        return entries.withLock { entries in
            guard let entry = entries[name] else { return nil }
            if entry.effect.outcome != nil {
                if entry.form == nil { entries[name] = nil } else { entries[name]?.told = entry.told ?? now }
            }
            return entry.effect
        }
    }

    private func begin(_ effect: Effect, _ form: SentForm?) -> Beginning {
        let now = ContinuousClock().now
        return entries.withLock { entries in
            entries = entries.filter { $0.value.isNeeded(at: now) }
            if let form, let earlier = entries.first(where: { $0.value.form == form }) { return .again(earlier.key) }
            let told = entries.filter { $0.value.told != nil }
            guard entries.count - told.count < Self.most else { return .full }
            if told.count >= Self.mostTold, let oldest = told.min(by: { $0.value.begun < $1.value.begun }) {
                entries[oldest.key] = nil
            }
            let name = UUID().uuidString.lowercased()
            entries[name] = Entry(effect: effect, begun: now, form: form)
            return .new(name)
        }
    }

    private func end(_ name: String, _ outcome: Result<JSONTree?, ControlError>) {
        let waiting = entries.withLock { entries in
            entries[name]?.effect.outcome = outcome
            defer { entries[name]?.waiting = [] }
            return entries[name]?.waiting ?? []
        }
        for one in waiting { one.finish() }
    }

    private func waitForEnd(of name: String) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let goesOn = entries.withLock { entries in
            guard let entry = entries[name], entry.effect.outcome == nil else { return false }
            entries[name]?.waiting.append(end)
            return true
        }
        guard goesOn else { return }
        await withTaskGroup(of: Void.self) { [patience] group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func outcome(of verb: ControlVerb, _ parameters: [String: String], _ form: FormData) async -> Result<
        JSONTree?, ControlError
    > {
        do {
            if verb.readsItsOwnBody {
                let document = form.file ?? form["_document"].map { Array($0.utf8) } ?? fields(of: form, verb)
                return .success(try await verbs.call(verb.id, parameters, document: document))
            }
            let body = verb.request.map { FormBody.tree(form, $0) } ?? .object([])
            switch verb.id {
            case "createApp": return .success(try await newApp(body, form))
            case "createCustomer": try await checkIsNew(form, parameters)
            case "createClock": return .success(try await newClock(body, parameters, form))
            default: break
            }
            return .success(try await verbs.call(verb.id, parameters, body: body))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Acts of several verbs

    /// A new app comes with what it sells. Its file is read first, so that one that cannot be read leaves no app.
    private func newApp(_ body: JSONTree, _ form: FormData) async throws(ControlError) -> JSONTree? {
        guard let file = form.file else { return try await verbs.call("createApp", body: body) }
        do {
            _ = try StoreKitFile.read(file)
        } catch {
            throw ControlError(of: error, logger: logger)
        }
        let made = try await verbs.call("createApp", body: body)
        guard let app = made?["bundleId"]?.text else { return made }
        let sold = try await verbs.call("importStoreKitFile", ["bundleId": app], document: file)
        return .object((made?.members ?? []) + (sold?.members ?? []))
    }

    /// For the verb one who exists stays as they are; who fills in a form means somebody new.
    private func checkIsNew(_ form: FormData, _ parameters: [String: String]) async throws(ControlError) {
        guard let name = form["customer"], !name.isEmpty else { return }
        let known = try? await verbs.call("getCustomer", parameters.merging(["customer": name]) { $1 })
        if known != nil {
            throw ControlError(
                status: .conflict,
                code: "customer_exists",
                message: "There is a customer of this name already. Open their page, or choose another name."
            )
        }
    }

    /// A clock that was made on a customer's page is theirs at once.
    private func newClock(_ body: JSONTree, _ parameters: [String: String], _ form: FormData)
        async throws(ControlError) -> JSONTree?
    {
        let made = try await verbs.call("createClock", parameters, body: body)
        guard let customer = form["_customer"], let name = made?["name"]?.text else { return made }
        let use = parameters.merging(["customer": customer]) { $1 }
        _ = try await verbs.call("useClock", use, body: .object([.init("clock", .string(name))]))
        return made
    }

    /// A document that is small enough to be filled in field by field.
    private func fields(of form: FormData, _ verb: ControlVerb) -> [UInt8] {
        let tree = verb.request.map { FormBody.tree(form, $0) } ?? .object([])
        return tree.members.isEmpty ? [] : tree.written()
    }

    /// What the act is called for people; most verbs say it themselves, `advanceClock` as `Advance clock`.
    private static func title(_ verb: ControlVerb) -> String { titles[verb.id] ?? Words.sentence(verb.id) }

    private static let titles = [
        "useClock": "Choose the clock", "advanceOwnClock": "Advance the clock", "setCard": "Change the card",
        "requestTestNotification": "Send a TEST", "triggerNotification": "Send a notification",
        "importStoreKitFile": "Import a .storekit file", "putCatalog": "Replace the catalogue",
        "importState": "Take a state in", "setAskToBuy": "Change Ask to Buy",
        "setForSale": "Put on sale or take off", "setRevocation": "Change what OCSP says",
    ]
}

/// A form as it was sent, told apart from every other by whose it is, by which making of a page it came, and by all
/// that stands in it.
struct SentForm: Hashable, Sendable {
    private let digest: [UInt8]

    /// Nil for a form that does not say by which making of a page it came.
    init?(_ form: FormData, _ verb: ControlVerb, _ session: Session?) {
        guard let session, form["_once"] != nil else { return nil }
        var hash = SHA256()
        func take(_ bytes: some Collection<UInt8>) {
            hash.update(data: Data("\(bytes.count) ".utf8))
            hash.update(data: Data(bytes))
        }
        take(session.cookie.utf8)
        take(verb.id.utf8)
        for field in form.fields {
            take(field.name.utf8)
            take(field.value.utf8)
        }
        take(form.file ?? [])
        digest = Array(hash.finalize())
    }
}
