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

    /// A key.
    package init(
        id: String,
        issuerID: String,
        name: String,
        publicKey: String,
        offersOf: String?,
        createdAt: Timestamp,
        revokedAt: Timestamp?
    ) {
        self.id = id
        self.issuerID = issuerID
        self.name = name
        self.publicKey = publicKey
        self.offersOf = offersOf
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}

extension KeyRecord {
    /// Whether the key may sign offers of an app now.
    package func signsOffers(of app: AppRecord) -> Bool {
        issuerID == app.issuerID && revokedAt == nil && (offersOf ?? app.bundleID) == app.bundleID
    }

    /// The names under which the key's document may be stored. New documents get the first; version 0.1.0 stored a key
    /// of an app's offers under its id alone, so that no two apps could have the same id.
    var documentNames: [String] { offersOf.map { ["\($0)/\(id)", id] } ?? [id] }
}

/// What the operator set up, held in memory: a request must not read the database to know its key.
package final class Registry: Sendable {
    /// A key is found by its id and, if it only signs offers of an app, by the app: Xcode copies the key pair with the
    /// `.storekit` file, so that several apps have the same one.
    private struct KeyIdentity: Hashable {
        let id: String
        let offersOf: String?

        init(id: String, offersOf: String?) {
            self.id = id
            self.offersOf = offersOf
        }

        init(_ record: KeyRecord) { self.init(id: record.id, offersOf: record.offersOf) }
    }

    private struct StoredKey {
        let record: KeyRecord
        let key: VerificationKey
        /// The name of its document, which stays when the record changes.
        let documentName: String
    }

    private struct State {
        var teams: [String: Team] = [:]
        var apps: [String: AppRecord] = [:]
        var keys: [KeyIdentity: StoredKey] = [:]
        var catalogs: [String: Catalog] = [:]
        var rules: [String: ScopeRules] = [:]
        /// Where it is not fair; nearly always nowhere.
        var payloadProfiles: [String: PayloadProfile] = [:]

        /// Takes in what the registry is made of; other kinds are others' business.
        mutating func take(_ document: Document) throws {
            switch document.kind {
            case .team: teams[document.name] = try document.decoded()
            case .app: apps[document.name] = try document.decoded()
            case .key:
                let record = try document.decoded(as: KeyRecord.self)
                keys[KeyIdentity(record)] = StoredKey(
                    record: record,
                    key: try Registry.key(of: record),
                    documentName: document.name
                )
            case .catalog: catalogs[document.name] = try document.decoded()
            case .rules: put(try document.decoded(), named: document.name)
            case .clock, .job, .chain, .revocation, .fault, .retention, .token, .shop: break
            }
        }

        mutating func put(_ rules: ScopeRules, named name: String) {
            self.rules[name] = rules
            payloadProfiles[name] = rules.payloadProfile
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
    /// Those of all teams, sorted by id and then by the app whose offers they sign, revoked ones included.
    package var keys: [KeyRecord] {
        state.withLock { $0.keys.values.map(\.record) }
            .sorted { ($0.id, $0.offersOf ?? "") < ($1.id, $1.offersOf ?? "") }
    }

    /// All keys of an id, revoked or not: the API key first, then those of apps' offers, sorted by app.
    package func keys(_ id: String) -> [(record: KeyRecord, key: VerificationKey)] {
        state.withLock { state in state.keys.values.filter { $0.record.id == id } }
            .sorted { ($0.record.offersOf ?? "") < ($1.record.offersOf ?? "") }
            .map { ($0.record, $0.key) }
    }

    /// The key that a token of an app means: the API key of the id, else the key of the app's offers, else any of the
    /// id, so that a refusal can say what the key is for.
    package func key(_ id: String, usedFor app: String?) -> (record: KeyRecord, key: VerificationKey)? {
        if let key = state.withLock({ $0.keys[KeyIdentity(id: id, offersOf: nil)] }) { return (key.record, key.key) }
        let known = keys(id)
        return known.first { $0.record.offersOf == app } ?? known.first
    }

    /// What an app sells; an app without a catalogue sells nothing.
    package func catalog(of bundleID: String) -> Catalog {
        state.withLock { $0.catalogs[bundleID] } ?? Catalog()
    }

    /// What the operator chose for an environment of an app.
    package func rules(of scope: AccountScope) -> ScopeRules {
        state.withLock { $0.rules[Self.name(of: scope)] } ?? ScopeRules()
    }

    /// The payload profile in an environment of an app; nil is fair.
    package func payloadProfile(of scope: AccountScope) -> PayloadProfile? {
        state.withLock { $0.payloadProfiles.isEmpty ? nil : $0.payloadProfiles[Self.name(of: scope)] }
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
        let identity = KeyIdentity(key)
        let name = state.withLock { $0.keys[identity]?.documentName } ?? key.documentNames[0]
        try await store(.key, name, of: key.offersOf, key)
        state.withLock {
            $0.keys[identity] = StoredKey(record: key, key: verification, documentName: name)
        }
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

    private static func name(of scope: AccountScope) -> String { "\(scope.environment.rawValue)/\(scope.app)" }

    private func store(_ kind: DocumentKind, _ name: String, of app: String?, _ value: some Encodable) async throws {
        try await storage.put([Document(kind: kind, name: name, app: app, encoding: value)])
    }

    static func key(of record: KeyRecord) throws -> VerificationKey {
        try VerificationKey(x963: Base64.decode(record.publicKey) ?? [])
    }
}
