import Foundation
import Synchronization
import TillCore
import TillSigning
import TillStorage

/// A team that sells apps. Every bearer token of the team contains its issuer id.
package struct Team: Codable, Equatable, Sendable {
    /// The issuer id: a UUID as lower-case text.
    package let issuerID: String
    /// The name that operators see. No payload contains it.
    package var name: String
    /// The creation date, in real time.
    package let createdAt: Timestamp
    /// The primary shared secret for verifyReceipt. It applies to the team's apps that have no secret of their own.
    package var sharedSecret: String?

    /// Creates a team.
    package init(issuerID: String, name: String, createdAt: Timestamp) {
        self.issuerID = issuerID
        self.name = name
        self.createdAt = createdAt
    }
}

/// An app of a team.
package struct AppRecord: Codable, Equatable, Sendable {
    /// The bundle identifier: `bundleId` in payloads and `bid` in bearer tokens. It is unique in the database.
    package let bundleID: String
    /// The app's Apple ID: `appAppleId` in payloads.
    package let appleID: Int64
    /// The name that operators see. No payload contains it.
    package var name: String
    /// The issuer id of the team that sells the app.
    package let issuerID: String
    /// The creation date, in real time.
    package let createdAt: Timestamp
    /// The app's own shared secret for verifyReceipt. If it is set, the team's secret is not valid for this app.
    package var sharedSecret: String?

    /// Creates an app.
    package init(bundleID: String, appleID: Int64, name: String, issuerID: String, createdAt: Timestamp) {
        self.bundleID = bundleID
        self.appleID = appleID
        self.name = name
        self.issuerID = issuerID
        self.createdAt = createdAt
    }
}

/// An API key, or a key that only signs promotional offers. Till stores only the public key.
package struct KeyRecord: Codable, Equatable, Sendable {
    /// The key id: ten characters of A–Z and 0–9, or eight characters for a key from a `.storekit` file.
    package let id: String
    /// The issuer id of the team to which the key belongs.
    package let issuerID: String
    /// The name that operators see. It need not be unique.
    package var name: String
    /// The public key: X9.63 in standard Base64.
    package let publicKey: String
    /// The bundle id of the only app whose offers the key signs. If it is nil, the key authorizes API calls and signs
    /// offers for every app of its team.
    package let offersOf: String?
    /// The bundle id of the app with which the API key is deleted; nil if the key stays.
    package var deletedWith: String?
    /// The creation date, in real time.
    package let createdAt: Timestamp
    /// The date when the key was revoked, in real time; nil while the key is valid.
    package var revokedAt: Timestamp?
}

extension KeyRecord {
    /// Whether the key is currently allowed to sign offers for an app.
    package func signsOffers(of app: AppRecord) -> Bool {
        issuerID == app.issuerID && revokedAt == nil && (offersOf ?? app.bundleID) == app.bundleID
    }

    /// The possible names of the key's document. New documents get the first name. Version 0.1.0 named the document of
    /// an app's offer key only by the key id, so two apps could not have keys with the same id.
    var documentNames: [String] { offersOf.map { ["\($0)/\(id)", id] } ?? [id] }
}

/// The configuration: teams, apps, keys, catalogs, and the settings of environments and of the server. It is held in
/// memory, so that a request need not read the database to find its key.
package final class Registry: Sendable {
    /// Identifies a key by its id and, if the key only signs offers of one app, by that app. The id alone is not
    /// unique: someone who copies a `.storekit` file copies its key pair, so several apps may have the same key.
    private struct KeyIdentity: Hashable {
        let id: String
        let offersOf: String?
    }

    private struct StoredKey {
        let record: KeyRecord
        let key: VerificationKey
        /// The name of the key's document, which does not change with the record.
        let documentName: String
    }

    private struct State {
        var teams: [String: Team] = [:]
        var apps: [String: AppRecord] = [:]
        var keys: [KeyIdentity: StoredKey] = [:]
        var catalogs: [String: Catalog] = [:]
        var rules: [String: EnvironmentSettings] = [:]
        /// The payload profiles other than the default; usually empty.
        var payloadProfiles: [String: PayloadProfile] = [:]

        /// Adds a document if it belongs to the configuration; ignores other documents.
        mutating func take(_ document: Document) throws {
            switch document.kind {
            case .team: teams[document.name] = try document.decoded()
            case .app: apps[document.name] = try document.decoded()
            case .key:
                let record = try document.decoded(as: KeyRecord.self)
                keys[KeyIdentity(id: record.id, offersOf: record.offersOf)] = StoredKey(
                    record: record,
                    key: try Registry.key(of: record),
                    documentName: document.name
                )
            case .catalog: catalogs[document.name] = try document.decoded()
            case .rules:
                let rules = try document.decoded(as: EnvironmentSettings.self)
                self.rules[document.name] = rules
                payloadProfiles[document.name] = rules.payloadProfile
            case .clock, .job, .chain, .revocation, .fault, .retention, .token, .shop: break
            }
        }
    }

    private let storage: any Storage
    /// The server's settings, which do not change while the process runs.
    package let settings: Settings
    private let state: Mutex<State>

    /// Reads the configuration from the database.
    package init(storage: any Storage, settings: Settings = Settings()) async throws {
        self.storage = storage
        self.settings = settings
        state = Mutex(try await Self.read(storage))
    }

    /// Reloads the configuration, which other nodes may have changed in the database.
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

    /// The team with an issuer id; nil if there is none.
    package func team(_ issuerID: String) -> Team? { state.withLock { $0.teams[issuerID] } }
    /// All teams, sorted by issuer id.
    package var teams: [Team] { state.withLock { $0.teams.values.sorted { $0.issuerID < $1.issuerID } } }
    /// The app with a bundle id; nil if there is none.
    package func app(_ bundleID: String) -> AppRecord? { state.withLock { $0.apps[bundleID] } }
    /// The apps of all teams, sorted by bundle id.
    package var apps: [AppRecord] { state.withLock { $0.apps.values.sorted { $0.bundleID < $1.bundleID } } }
    /// The two environments of every app.
    var scopes: [AccountScope] {
        apps.flatMap { app in
            StoreEnvironment.allCases.map { AccountScope(environment: $0, app: app.bundleID) }
        }
    }
    /// The keys of all teams, including revoked keys, sorted by id and then by the app whose offers they sign.
    package var keys: [KeyRecord] {
        state.withLock { $0.keys.values.map(\.record) }
            .sorted { ($0.id, $0.offersOf ?? "") < ($1.id, $1.offersOf ?? "") }
    }

    /// All keys with an id, including revoked keys: the API key first, then the keys for single apps' offers, sorted by
    /// app.
    package func keys(_ id: String) -> [(record: KeyRecord, key: VerificationKey)] {
        state.withLock { state in state.keys.values.filter { $0.record.id == id } }
            .sorted { ($0.record.offersOf ?? "") < ($1.record.offersOf ?? "") }
            .map { ($0.record, $0.key) }
    }

    /// Finds the key for a token of an app: the API key with the id, else the key for the app's offers. If there is
    /// neither, it returns any key with the id, so that an error message can name the key's actual purpose.
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

    /// The policy of an app's environment. The environment's settings take precedence over the server's settings.
    package func policy(of scope: AccountScope) -> Policy {
        rules(of: scope).policy(of: scope.environment, under: settings)
    }

    /// The payload profile of an app's environment; nil for the default profile.
    package func payloadProfile(of scope: AccountScope) -> PayloadProfile? {
        state.withLock { $0.payloadProfiles.isEmpty ? nil : $0.payloadProfiles[Self.name(of: scope)] }
    }

    /// The API keys of a team that are not revoked, sorted by id.
    package func goodKeys(of issuerID: String) -> [KeyRecord] {
        keys.filter { $0.issuerID == issuerID && $0.offersOf == nil && $0.revokedAt == nil }
    }

    // MARK: Writing

    package func put(_ team: Team) async throws {
        try await put(Document(kind: .team, name: team.issuerID, encoding: team))
    }

    package func put(_ app: AppRecord) async throws {
        try await put(Document(kind: .app, name: app.bundleID, app: app.bundleID, encoding: app))
    }

    package func put(_ key: KeyRecord) async throws {
        // A document that cannot be read would prevent the next start.
        _ = try Self.key(of: key)
        let identity = KeyIdentity(id: key.id, offersOf: key.offersOf)
        let name = state.withLock { $0.keys[identity]?.documentName } ?? key.documentNames[0]
        try await put(Document(kind: .key, name: name, app: key.offersOf ?? key.deletedWith, encoding: key))
    }

    package func put(_ catalog: Catalog, of bundleID: String) async throws {
        try await put(Self.document(catalog, of: bundleID))
    }

    /// The document of a catalog, for a change that contains it. After the commit, call ``noteWritten(_:of:)``.
    static func document(_ catalog: Catalog, of bundleID: String) throws -> Document {
        try Document(kind: .catalog, name: bundleID, app: bundleID, encoding: catalog)
    }

    /// Takes over a catalog that was written with other data.
    func noteWritten(_ catalog: Catalog, of bundleID: String) {
        state.withLock { $0.catalogs[bundleID] = catalog }
    }

    /// Reads a catalog from the database after a write whose outcome was not known.
    func reloadCatalog(of bundleID: String) async throws {
        for document in try await storage.documents(.catalog) where document.name == bundleID {
            try state.withLock { try $0.take(document) }
        }
    }

    package func put(_ rules: EnvironmentSettings, of scope: AccountScope) async throws {
        try await put(Document(kind: .rules, name: Self.name(of: scope), app: scope.app, encoding: rules))
    }

    private func put(_ document: Document) async throws {
        try await storage.put([document])
        try state.withLock { try $0.take(document) }
    }

    private static func name(of scope: AccountScope) -> String { "\(scope.environment.rawValue)/\(scope.app)" }

    static func key(of record: KeyRecord) throws -> VerificationKey {
        try VerificationKey(x963: Base64.decode(record.publicKey) ?? [])
    }
}
