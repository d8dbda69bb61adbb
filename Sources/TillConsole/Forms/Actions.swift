import Crypto
import Foundation
import HTTPTypes
import Logging
import Synchronization
import TillControl
import TillJSON
import TillServer
import TillShop
import TillStorage

/// Runs the actions that forms request. A long action continues in the background, and an open page shows its result
/// when it ends. A form sent twice runs once and shows the same result again.
final class Actions: Sendable {
    private struct Entry {
        var effect: Effect
        let begun: ContinuousClock.Instant
        /// The form as sent; nil for a form that may run repeatedly.
        let form: SentForm?
        /// The requests that wait for the end of the action.
        var waiting: [AsyncStream<Void>.Continuation] = []
        /// When the result was shown for the first time.
        var shown: ContinuousClock.Instant?

        func isNeeded(at now: ContinuousClock.Instant) -> Bool {
            guard effect.outcome != nil else { return true }
            return shown.map { now - $0 < Actions.repeatWindow } ?? (now - begun < Actions.retention)
        }
    }

    private let control: ControlCaller
    private let logger: Logger
    private let entries = Mutex<[String: Entry]>([:])
    /// How long a page waits for an action before it shows the action as in progress.
    private let patience: Duration
    /// The maximum number of actions that are in progress or have a result that was not shown yet.
    private static let maxPending = 256
    /// The maximum number of shown results that are kept for repeated forms.
    private static let maxShown = 256
    /// The maximum number of deliveries in a result whose reasons are read.
    private static let maxReasons = 5
    /// How long a result that was not shown is kept.
    private static let retention = Duration.seconds(3_600)
    /// How long a repeated form shows the earlier result.
    private static let repeatWindow = Duration.seconds(600)

    init(_ control: ControlCaller, patience: Duration = .seconds(2), logger: Logger) {
        self.control = control
        self.logger = logger
        self.patience = patience
    }

    /// Runs the action of a form, unless the same form was sent before.
    ///
    /// - Returns: the result, and the identifier for `effect(of:)` while the action is in progress.
    func perform(_ operation: OperationForm, _ form: FormData, by session: Session? = nil) async -> (
        effect: Effect, name: String?
    ) {
        let parameters = FormBody.parameters(form)
        let isDry = form["dryRun"] == "true"
        let title = Self.title(operation, form) + (isDry ? " (dry run: nothing was changed)" : "")
        let sent = SentForm(form, operation, session)
        guard let (name, isNew) = begin(Effect(title: title, parameters: parameters), sent) else {
            let error = ControlError.busy("Too many operations are in progress. Try again later.")
            return (Effect(title: title, outcome: .failure(error), parameters: parameters), nil)
        }
        if isNew {
            // Closing the page does not cancel the action.
            let control = self.control.acting(for: session?.caller ?? .console)
            Task { [self] in
                do throws(ControlError) {
                    let answer = try await answer(to: operation, parameters, form, control)
                    end(name, .success(answer), await Self.reasons(of: answer, parameters, control))
                } catch {
                    end(name, .failure(error))
                }
            }
        }
        await waitForEnd(of: name)
        guard let effect = self.effect(of: name) else {
            return (Effect(title: title, parameters: parameters), nil)
        }
        return (effect, effect.outcome == nil ? name : nil)
    }

    /// The current result of an action. A final result is returned once, or repeatedly if its form can be sent again.
    func effect(of name: String) -> Effect? {
        let now = ContinuousClock().now
        return entries.withLock { entries in
            guard let entry = entries[name] else { return nil }
            if entry.effect.outcome != nil {
                if entry.form == nil { entries[name] = nil } else { entries[name]?.shown = entry.shown ?? now }
            }
            return entry.effect
        }
    }

    /// The name of the action of a form, and whether it is new; nil if there are too many actions.
    private func begin(_ effect: Effect, _ form: SentForm?) -> (name: String, isNew: Bool)? {
        let now = ContinuousClock().now
        return entries.withLock { entries in
            entries = entries.filter { $0.value.isNeeded(at: now) }
            if let form, let earlier = entries.first(where: { $0.value.form == form }) { return (earlier.key, false) }
            let shown = entries.filter { $0.value.shown != nil }
            guard entries.count - shown.count < Self.maxPending else { return nil }
            if shown.count >= Self.maxShown, let oldest = shown.min(by: { $0.value.begun < $1.value.begun }) {
                entries[oldest.key] = nil
            }
            let name = UUID().uuidString.lowercased()
            entries[name] = Entry(effect: effect, begun: now, form: form)
            return (name, true)
        }
    }

    /// Why the last attempts of the pending deliveries in an answer failed.
    private static func reasons(of answer: ActionAnswer, _ parameters: [String: String], _ control: ControlCaller)
        async -> [String: String]
    {
        guard let settled = (answer as? any SettledAnswer)?.settled, let app = app(of: parameters) else { return [:] }
        var reasons: [String: String] = [:]
        for delivery in settled.pendingDeliveries.prefix(maxReasons) where delivery.sendAttemptResult != nil {
            let get = GetNotification(app: app, notificationUUID: delivery.notificationUUID)
            // The result without a reason is better than an error for an action that has succeeded.
            let deliveries = (try? await control.send(get))?.deliveries
            let attempt = deliveries?.first { $0.endpoint == delivery.endpoint }?.attempts.last
            reasons[Effect.key(delivery.notificationUUID, delivery.endpoint)] = attempt?.reason
        }
        return reasons
    }

    private func end(
        _ name: String,
        _ outcome: Result<ActionAnswer, ControlError>,
        _ reasons: [String: String] = [:]
    ) {
        let waiting = entries.withLock { entries in
            entries[name]?.effect.outcome = outcome
            entries[name]?.effect.reasons = reasons
            defer { entries[name]?.waiting = [] }
            return entries[name]?.waiting ?? []
        }
        for continuation in waiting { continuation.finish() }
    }

    private func waitForEnd(of name: String) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let isPending = entries.withLock { entries in
            guard let entry = entries[name], entry.effect.outcome == nil else { return false }
            entries[name]?.waiting.append(end)
            return true
        }
        guard isPending else { return }
        await withTaskGroup(of: Void.self) { [patience] group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func answer(
        to operation: OperationForm,
        _ parameters: [String: String],
        _ form: FormData,
        _ control: ControlCaller
    ) async throws(ControlError) -> ActionAnswer {
        let query = FormBody.query(form, operation.query)
        var body = FormBody.tree(form, operation)
        if operation.readsItsOwnBody {
            // The user sends a file, enters the document as a text, or field by field.
            let document = form.file ?? form["_document"].map { Array($0.utf8) }
            return try await control.perform(
                operation.id,
                parameters,
                query: query,
                document: document ?? (body.members.isEmpty ? [] : body.written())
            )
        }
        switch operation.id {
        case CreateApp.operationID: return try await newApp(body, form, control)
        case CreateClock.operationID: return try await newClock(body, parameters, form, control)
        case UpdateCustomer.operationID where form["clock"]?.isEmpty == true:
            // An empty field is omitted, but an empty name stands for the environment's clock.
            body = JSONTree.object(body.members + [.init("clock", .string(""))])
        case UpdateSettings.operationID: body = try await changes(body, parameters, control)
        default: break
        }
        let check = Self.check(operation, parameters, form)
        let answer = try await control.perform(operation.id, parameters, query: query, body: body, if: check)
        guard let settings = answer as? SettingsInfo else { return answer }
        return ChangedSettings(settings: settings, changed: body.members.map(\.key))
    }

    // MARK: Actions with several operations

    /// Creates an app and imports its products. The file is parsed first, so that an invalid file creates no app.
    private func newApp(_ body: JSONTree, _ form: FormData, _ control: ControlCaller)
        async throws(ControlError) -> ActionAnswer
    {
        guard let file = form.file else { return try await control.perform(CreateApp.operationID, body: body) }
        do {
            _ = try StoreKitFile.read(file)
        } catch {
            throw ControlError(of: error, logger: logger)
        }
        let made = try await control.perform(CreateApp.operationID, body: body)
        guard let app = made as? AppInfo else { return made }
        let parameters = ["bundleId": app.bundleId]
        let sold = try await control.perform(ImportStoreKitFile.operationID, parameters, document: file)
        guard let catalog = sold as? CatalogImportInfo else { return made }
        return NewAppAnswer(app: app, catalog: catalog)
    }

    /// Rejects an object that exists. The control operation accepts one, but the form must create a new one.
    private static func check(_ operation: OperationForm, _ parameters: [String: String], _ form: FormData)
        -> (@Sendable (Shop) async throws -> Void)?
    {
        guard let app = app(of: parameters) else { return nil }
        let scope = AccountScope(environment: app.environment, app: app.bundleId)
        switch operation.id {
        case CreateCustomer.operationID:
            guard let name = form["customer"], !name.isEmpty else { return nil }
            return { shop in
                guard try await shop.storage.account(of: CustomerName(scope, name)) != nil else { return }
                throw ControlError(
                    status: .conflict,
                    code: "customer_exists",
                    message: "Customer \"\(name)\" already exists. Open the customer's page or choose another name."
                )
            }
        case SetEndpoint.operationID where form["_new"] == "true":
            guard let name = parameters["endpoint"] else { return nil }
            return { shop in
                guard shop.registry.rules(of: scope).endpoint(name) != nil else { return }
                throw ControlError(
                    status: .conflict,
                    code: "endpoint_exists",
                    message: "Endpoint \"\(name)\" already exists. Edit it, or choose another name."
                )
            }
        default: return nil
        }
    }

    /// Creates a clock and, on a customer's page, assigns it to the customer.
    private func newClock(_ body: JSONTree, _ parameters: [String: String], _ form: FormData, _ control: ControlCaller)
        async throws(ControlError) -> ActionAnswer
    {
        let made = try await control.perform(CreateClock.operationID, parameters, body: body)
        guard
            let customer = form["_customer"], let clock = made as? ClockInfo,
            let app = Self.app(of: parameters)
        else { return made }
        _ = try await control.send(UpdateCustomer(app: app, customer: customer, clock: clock.name))
        return made
    }

    /// The app and environment of an operation; nil for another operation.
    private static func app(of parameters: [String: String]) -> AppEnvironment? {
        guard
            let bundleID = parameters["bundleId"],
            let environment = parameters["environment"].flatMap(StoreEnvironment.init)
        else { return nil }
        return AppEnvironment(bundleID, environment)
    }

    /// The settings that differ from the current settings. The form sends every setting, but a setting that still has
    /// the server's default must not become a fixed value.
    private func changes(_ body: JSONTree, _ parameters: [String: String], _ control: ControlCaller)
        async throws(ControlError) -> JSONTree
    {
        guard let app = Self.app(of: parameters) else { return body }
        var settings = try await control.send(GetSettings(app: app))
        settings.grace = settings.grace ?? GracePeriodInfo(days: 0)
        // The types of the contract encode without errors.
        guard let current = try? JSONTree(encoding: settings) else { return body }
        return .object(
            body.members.filter { member in
                guard let value = current[member.key] else { return true }
                let isSameObject =
                    !value.members.isEmpty && value.members.allSatisfy { member.value[$0.key] == $0.value }
                return value != member.value && !isSameObject
            }
        )
    }

    /// The title of an action. By default, it follows from the operation ID: `Advance clock` for `advanceClock`.
    static func title(_ operation: OperationForm, _ form: FormData) -> String {
        if operation.id == UpdateCustomer.operationID {
            if form["clock"] != nil { return "Assign clock" }
            return form["asksToBuy"] == nil ? "Change payment method" : "Change Ask to Buy"
        }
        let title = titles[operation.id] ?? Words.sentence(operation.id)
        if operation.id == RemoveFaults.operationID, form["faultId"] != nil { return "Delete fault rule" }
        if form["remove"] == "true" { return title.replacing("Set ", with: "Delete ") }
        return title.hasPrefix("Remove ") ? "Delete " + title.dropFirst(7) : title
    }

    private static let titles = [
        TriggerNotification.operationID: "Send notification",
        ImportStoreKitFile.operationID: "Import .storekit file",
        PutCatalog.operationID: "Replace catalog",
        PutProduct.operationID: "Save product",
        PutGroup.operationID: "Save group",
        SetForSale.operationID: "Change availability",
        UpdateSettings.operationID: "Save settings",
        SetRevocation.operationID: "Change OCSP response",
        RotateChain.operationID: "Issue new leaf and intermediate certificates",
        EraseCustomer.operationID: "Delete customer",
        JoinFamily.operationID: "Add a family member",
        ExtendAll.operationID: "Extend renewal date for all subscribers",
        ShareProduct.operationID: "Turn on Family Sharing",
        AddFault.operationID: "Add fault rule",
        RemoveFaults.operationID: "Delete all fault rules",
        SetSharedSecret.operationID: "Set app-specific secret",
        SetPrimarySharedSecret.operationID: "Set team secret",
    ]
}

/// Identifies a sent form by its session, the rendering of its page, and its content.
struct SentForm: Hashable, Sendable {
    private let digest: [UInt8]

    /// - Returns: nil for a form that does not contain the identifier of its page's rendering.
    init?(_ form: FormData, _ operation: OperationForm, _ session: Session?) {
        guard let session, form["_once"] != nil else { return nil }
        var hash = SHA256()
        func add(_ bytes: some Collection<UInt8>) {
            hash.update(data: Data("\(bytes.count) ".utf8))
            hash.update(data: Data(bytes))
        }
        add(session.cookie.utf8)
        add(operation.id.utf8)
        for field in form.fields {
            add(field.name.utf8)
            add(field.value.utf8)
        }
        add(form.file ?? [])
        digest = Array(hash.finalize())
    }
}
