import Foundation
import Synchronization
import TillCore
import TillSigning
import TillStorage

/// A team: whoever sells apps. Its issuer id stands in every bearer token.
package struct Team: Codable, Equatable, Sendable {
    /// Lower-case UUID text.
    package let issuerID: String
    /// For the operator; no payload has it.
    package var name: String
    /// By the wall clock.
    package let createdAt: Timestamp
    /// The primary shared secret of verifyReceipt, for the team's apps that have none of their own.
    package var sharedSecret: String?

    /// A team.
    package init(issuerID: String, name: String, createdAt: Timestamp) {
        self.issuerID = issuerID
        self.name = name
        self.createdAt = createdAt
    }
}

/// An app of a team.
package struct AppRecord: Codable, Equatable, Sendable {
    /// `bundleId` in payloads and `bid` in bearer tokens; unique in the store.
    package let bundleID: String
    /// `appAppleId`.
    package let appleID: Int64
    /// For the operator; no payload has it.
    package var name: String
    /// The team that sells it.
    package let issuerID: String
    /// By the wall clock.
    package let createdAt: Timestamp
    /// The app's own shared secret of verifyReceipt; while there is one, the team's does not count for it.
    package var sharedSecret: String?

    /// An app.
    package init(bundleID: String, appleID: Int64, name: String, issuerID: String, createdAt: Timestamp) {
        self.bundleID = bundleID
        self.appleID = appleID
        self.name = name
        self.issuerID = issuerID
        self.createdAt = createdAt
    }
}

/// An API key, of which Till keeps the public half only.
package struct KeyRecord: Codable, Equatable, Sendable {
    /// Ten characters of A–Z and 0–9; eight for a key that came with a `.storekit` file.
    package let id: String
    /// The team to which the key belongs.
    package let issuerID: String
    /// For the operator; two keys may have the same.
    package var name: String
    /// X9.63, standard Base64.
    package let publicKey: String
    /// Nil: the key authorises API calls and signs offers of every app of its team. Otherwise it only signs offers of
    /// this app.
    package let offersOf: String?
    /// By the wall clock.
    package let createdAt: Timestamp
    /// By the wall clock; nil while the key is good.
    package var revokedAt: Timestamp?
}

/// What the operator set up, held in memory: a request must not read the database to know its key.
package final class Registry: Sendable {
    private struct State {
        var teams: [String: Team] = [:]
        var apps: [String: AppRecord] = [:]
        var keys: [String: (record: KeyRecord, key: VerificationKey)] = [:]
        var catalogs: [String: Catalog] = [:]
        var rules: [String: ScopeRules] = [:]
        /// Where it is not fair; nearly always nowhere.
        var weathers: [String: Weather] = [:]

        /// Takes in what the registry is made of; other kinds are others' business.
        mutating func take(_ document: Document) throws {
            switch document.kind {
            case .team: teams[document.name] = try document.decoded()
            case .app: apps[document.name] = try document.decoded()
            case .key:
                let record = try document.decoded(as: KeyRecord.self)
                keys[document.name] = (record, try Registry.key(of: record))
            case .catalog: catalogs[document.name] = try document.decoded()
            case .rules: put(try document.decoded(), named: document.name)
            case .clock, .job, .chain, .revocation, .fault, .retention, .token, .shop: break
            }
        }

        mutating func put(_ rules: ScopeRules, named name: String) {
            self.rules[name] = rules
            weathers[name] = rules.weather
        }
    }

    private let storage: any Storage
    private let state: Mutex<State>

    /// Reads everything from the store.
    package init(storage: any Storage) async throws {
        self.storage = storage
        state = Mutex(try await Self.read(storage))
    }

    /// Follows the store, in which others may have changed anything.
    func reload() async throws {
        let read = try await Self.read(storage)
        state.withLock { $0 = read }
    }

    private static func read(_ storage: any Storage) async throws -> State {
        var read = State()
        for kind in [DocumentKind.team, .app, .key, .catalog, .rules] {
            for document in try await storage.documents(kind) { try read.take(document) }
        }
        return read
    }

    // MARK: Reading

    /// The team of an issuer id; nil when there is none.
    package func team(_ issuerID: String) -> Team? { state.withLock { $0.teams[issuerID] } }
    /// Sorted by issuer id.
    package var teams: [Team] { state.withLock { $0.teams.values.sorted { $0.issuerID < $1.issuerID } } }
    /// The app of a bundle id; nil when there is none.
    package func app(_ bundleID: String) -> AppRecord? { state.withLock { $0.apps[bundleID] } }
    /// Those of all teams, sorted by bundle id.
    package var apps: [AppRecord] { state.withLock { $0.apps.values.sorted { $0.bundleID < $1.bundleID } } }
    /// Those of all teams, sorted by id, revoked ones included.
    package var keys: [KeyRecord] { state.withLock { $0.keys.values.map(\.record).sorted { $0.id < $1.id } } }

    /// A key and its record, revoked or not.
    package func key(_ id: String) -> (record: KeyRecord, key: VerificationKey)? { state.withLock { $0.keys[id] } }

    /// What an app sells; an app without a catalogue sells nothing.
    package func catalog(of bundleID: String) -> Catalog {
        state.withLock { $0.catalogs[bundleID] } ?? Catalog()
    }

    /// What the operator chose for a realm of an app.
    package func rules(of scope: AccountScope) -> ScopeRules {
        state.withLock { $0.rules[Self.name(of: scope)] } ?? ScopeRules()
    }

    /// The weather in a realm of an app; nil is fair.
    package func weather(of scope: AccountScope) -> Weather? {
        state.withLock { $0.weathers.isEmpty ? nil : $0.weathers[Self.name(of: scope)] }
    }

    /// Keys of a team that authorise API calls now, sorted by id.
    package func goodKeys(of issuerID: String) -> [KeyRecord] {
        keys.filter { $0.issuerID == issuerID && $0.offersOf == nil && $0.revokedAt == nil }
    }

    // MARK: Writing

    package func put(_ team: Team) async throws {
        try await store(.team, team.issuerID, of: nil, team)
        state.withLock { $0.teams[team.issuerID] = team }
    }

    package func put(_ app: AppRecord) async throws {
        try await store(.app, app.bundleID, of: app.bundleID, app)
        state.withLock { $0.apps[app.bundleID] = app }
    }

    package func put(_ key: KeyRecord) async throws {
        let verification = try Self.key(of: key)
        try await store(.key, key.id, of: key.offersOf, key)
        state.withLock { $0.keys[key.id] = (key, verification) }
    }

    package func put(_ catalog: Catalog, of bundleID: String) async throws {
        try await store(.catalog, bundleID, of: bundleID, catalog)
        state.withLock { $0.catalogs[bundleID] = catalog }
    }

    package func put(_ rules: ScopeRules, of scope: AccountScope) async throws {
        let name = Self.name(of: scope)
        try await store(.rules, name, of: scope.app, rules)
        state.withLock { $0.put(rules, named: name) }
    }

    private static func name(of scope: AccountScope) -> String { "\(scope.realm.rawValue)/\(scope.app)" }

    private func store(_ kind: DocumentKind, _ name: String, of app: String?, _ value: some Encodable) async throws {
        try await storage.put([Document(kind: kind, name: name, app: app, encoding: value)])
    }

    static func key(of record: KeyRecord) throws -> VerificationKey {
        try VerificationKey(x963: Base64.decode(record.publicKey) ?? [])
    }
}
