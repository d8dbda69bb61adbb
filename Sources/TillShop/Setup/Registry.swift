import Foundation
import Synchronization
import TillCore
import TillSigning
import TillStorage

/// A team that sells apps. Its issuer id is in every bearer token.
package struct Team: Codable, Equatable, Sendable {
    /// Lower-case UUID text.
    package let issuerID: String
    /// For the operator; not in any payload.
    package var name: String
    /// Real time.
    package let createdAt: Timestamp
    /// The primary shared secret of verifyReceipt, for the team's apps without their own.
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
    /// For the operator; not in any payload.
    package var name: String
    /// The team that sells it.
    package let issuerID: String
    /// Real time.
    package let createdAt: Timestamp
    /// The app's own shared secret of verifyReceipt. If set, the team's secret is not accepted for it.
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

/// An API key. Till stores its public half only.
package struct KeyRecord: Codable, Equatable, Sendable {
    /// Ten characters of A–Z and 0–9; eight for a key that came with a `.storekit` file.
    package let id: String
    /// The team to which the key belongs.
    package let issuerID: String
    /// For the operator; need not be unique.
    package var name: String
    /// X9.63, standard Base64.
    package let publicKey: String
    /// Nil: the key authorizes API calls and signs offers of every app of its team. Otherwise it only signs offers of
    /// this app.
    package let offersOf: String?
    /// Real time.
    package let createdAt: Timestamp
    /// Real time; nil while the key is valid.
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

    /// The possible names of the key's document. New documents get the first. Version 0.1.0 stored a key for an app's
    /// offers under its id alone, so that no two apps could have the same id.
    var documentNames: [String] { offersOf.map { ["\($0)/\(id)", id] } ?? [id] }
}

/// The configuration, held in memory: a request must not read the database to find its key.
package final class Registry: Sendable {
    /// A key is found by its id and, if it only signs offers of an app, by the app: Xcode copies the key pair with the
    /// `.storekit` file, so several apps may have the same one.
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
        var rules: [String: EnvironmentSettings] = [:]
        /// Only profiles other than the default; usually empty.
        var payloadProfiles: [String: PayloadProfile] = [:]

        /// Adds a document, if the registry holds its kind.
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

        mutating func put(_ rules: EnvironmentSettings, named name: String) {
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

    /// Reloads from the store, where other nodes may have changed anything.
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
    /// The apps of all teams, sorted by bundle id.
    package var apps: [AppRecord] { state.withLock { $0.apps.values.sorted { $0.bundleID < $1.bundleID } } }
    /// The keys of all teams, sorted by id and then by the app whose offers they sign, including revoked ones.
    package var keys: [KeyRecord] {
        state.withLock { $0.keys.values.map(\.record) }
            .sorted { ($0.id, $0.offersOf ?? "") < ($1.id, $1.offersOf ?? "") }
    }

    /// All keys with an id, revoked or not: the API key first, then keys for apps' offers, sorted by app.
    package func keys(_ id: String) -> [(record: KeyRecord, key: VerificationKey)] {
        state.withLock { state in state.keys.values.filter { $0.record.id == id } }
            .sorted { ($0.record.offersOf ?? "") < ($1.record.offersOf ?? "") }
            .map { ($0.record, $0.key) }
    }

    /// The key that a token of an app refers to: the API key with the id, else the key for the app's offers, else any
    /// with the id, so that an error message can say what the key is for.
    package func key(_ id: String, usedFor app: String?) -> (record: KeyRecord, key: VerificationKey)? {
        if let key = state.withLock({ $0.keys[KeyIdentity(id: id, offersOf: nil)] }) { return (key.record, key.key) }
        let known = keys(id)
        return known.first { $0.record.offersOf == app } ?? known.first
    }

    /// The catalog of an app; empty if it has none.
    package func catalog(of bundleID: String) -> Catalog {
        state.withLock { $0.catalogs[bundleID] } ?? Catalog()
    }

    /// The settings of an app's environment.
    package func rules(of scope: AccountScope) -> EnvironmentSettings {
        state.withLock { $0.rules[Self.name(of: scope)] } ?? EnvironmentSettings()
    }

    /// The payload profile of an app's environment; nil is the default.
    package func payloadProfile(of scope: AccountScope) -> PayloadProfile? {
        state.withLock { $0.payloadProfiles.isEmpty ? nil : $0.payloadProfiles[Self.name(of: scope)] }
    }

    /// The valid API keys of a team, sorted by id.
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

    package func put(_ rules: EnvironmentSettings, of scope: AccountScope) async throws {
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
