import Crypto
import Foundation
import Synchronization
import TillServer
import TillShop

/// Acts that forms ask for. One that takes long goes on by itself, and the page is told of its end while it is open.
final class Acts: Sendable {
    private struct Entry {
        var effect: Effect
        let begun: ContinuousClock.Instant
    }

    private let verbs: ControlVerbs
    private let entries = Mutex<[String: Entry]>([:])
    /// How long a page waits for an act before it is shown without its end.
    private let patience: Duration
    /// Acts that go on while nobody waits, or whose end nobody has seen yet.
    private static let most = 256
    /// After so long nobody asks for the end of an act any more.
    private static let kept = Duration.seconds(3_600)

    init(_ verbs: ControlVerbs, patience: Duration = .seconds(2)) {
        self.verbs = verbs
        self.patience = patience
    }

    /// Does what a form asks for.
    ///
    /// - Returns: what it caused, and while it goes on the name by which `effect(of:)` knows it.
    func perform(_ verb: ControlVerb, _ form: FormData) async -> (effect: Effect, name: String?) {
        let parameters = FormBody.parameters(form)
        let name = UUID().uuidString.lowercased()
        let title = Self.title(verb)
        guard begin(name, Effect(title: title, parameters: parameters)) else {
            let error = ControlError.busy("Too many acts are under way. Try again.")
            return (Effect(title: title, outcome: .failure(error), parameters: parameters), nil)
        }
        let (ends, end) = AsyncStream<Void>.makeStream()
        // Nobody who closes the page takes back what it began.
        Task { [self] in
            let outcome = await outcome(of: verb, parameters, form)
            entries.withLock { $0[name]?.effect.outcome = outcome }
            end.finish()
        }
        await Self.wait(for: ends, atMost: patience)
        guard let effect = self.effect(of: name) else {
            return (Effect(title: title, parameters: parameters), nil)
        }
        return (effect, effect.outcome == nil ? name : nil)
    }

    /// What an act that went on by itself has caused by now. Its end is told once.
    func effect(of name: String) -> Effect? {
        entries.withLock { entries in
            guard let effect = entries[name]?.effect else { return nil }
            if effect.outcome != nil { entries[name] = nil }
            return effect
        }
    }

    private func begin(_ name: String, _ effect: Effect) -> Bool {
        let now = ContinuousClock().now
        return entries.withLock { entries in
            entries = entries.filter { $0.value.effect.outcome == nil || now - $0.value.begun < Self.kept }
            guard entries.count < Self.most else { return false }
            entries[name] = Entry(effect: effect, begun: now)
            return true
        }
    }

    private static func wait(for ends: AsyncStream<Void>, atMost patience: Duration) async {
        await withTaskGroup(of: Void.self) { group in
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
            let answer = try await verbs.call(verb.id, parameters, body: body)
            // A new app comes with what it sells.
            guard verb.id == "createApp", let file = form.file, let app = answer?["bundleId"]?.text else {
                return .success(answer)
            }
            return .success(try await verbs.call("importStoreKitFile", ["bundleId": app], document: file))
        } catch {
            return .failure(error)
        }
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
    ]
}
