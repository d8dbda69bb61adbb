import TillCore
import TillSigning
import TillStorage

/// Checks deadlines, endpoints and signatures.
extension Doctor {
    // MARK: Deadlines

    /// Compares the stored deadline of an account with the rules.
    func dueFindings(_ account: Account, noted: Timestamp?, _ registry: Registry) -> [String] {
        let scope = account.scope
        let check = DeadlineCheck(catalog: registry.catalog(of: account.app), rules: registry.rules(of: scope))
        guard let fault = check.fault(in: account, noted: noted) else { return [] }
        return ["In account \(account.id.number) (\(account.customer)) \(fault)."]
    }

    // MARK: Endpoints

    /// Finds deliveries to endpoints that do not exist. `listen` and `primary` are skipped, because they may belong to
    /// a listener, which the store does not record.
    func endpointFindings(_ storage: any Storage, _ registry: Registry) async throws -> [String] {
        try await storage.pendingEndpoints().filter { pending in
            ![EndpointRecord.primary, EndpointRecord.listening].contains(pending.endpoint)
                && !registry.rules(of: pending.scope).endpoints.contains { $0.key == pending.endpoint }
        }.map {
            "Notifications of \($0.scope.app) (\($0.scope.environment.rawValue)) are due to an endpoint that does not "
                + "exist: \($0.endpoint)."
        }
    }

    /// Finds paused endpoints, whose notifications wait until somebody resumes them.
    func pausedFindings(_ registry: Registry) -> [String] {
        registry.apps.flatMap { app in
            StoreEnvironment.allCases.flatMap { environment in
                let endpoints = registry.rules(of: AccountScope(environment: environment, app: app.bundleID)).endpoints
                return endpoints.filter { $0.isPaused == true }.map { endpoint in
                    "The endpoint \(endpoint.name) of \(app.bundleID) (\(environment.rawValue)) is paused, and its "
                        + "notifications wait. Resume it: till endpoint resume \(endpoint.name) --app \(app.bundleID) "
                        + "--environment \(environment.rawValue)"
                }
            }
        }
    }

    // MARK: Signatures

    /// The number of oldest notifications, and of newest notifications, that are verified in each app's environment.
    private static let sample = 100

    func signatureFindings(_ storage: any Storage, _ registry: Registry) async throws -> [String] {
        var signatures: [String: CachedSignature] = [:]
        var headers: [String: [UInt8]] = [:]
        var findings: [String] = []
        for document in try await storage.documents(.chain) {
            let header = Chains.header(in: document)
            headers[document.name] = header
            do {
                signatures[document.name] = try CachedSignature(header: header)
            } catch {
                findings.append(
                    "The certificates of chain \(document.name), which signed notifications, cannot be used: "
                        + error.logText
                )
            }
        }
        for app in registry.apps {
            for environment in StoreEnvironment.allCases {
                let scope = AccountScope(environment: environment, app: app.bundleID)
                for entry in try await Self.readableSample(of: scope, storage) {
                    // `storage.examine` already reports a missing chain.
                    guard let (parts, chain) = entry.content.signed, let signature = signatures[chain],
                        let header = headers[chain]
                    else { continue }
                    if !Self.isIntact(parts, header, signature) {
                        findings.append(
                            "The signature of notification \(entry.uuid) (\(entry.type)) does not match its payload."
                        )
                    }
                }
            }
        }
        return findings
    }

    /// The notifications to verify. Empty if one of them cannot be read; `rowFindings` reports the unreadable row.
    private static func readableSample(of scope: AccountScope, _ storage: any Storage) async throws -> [OutboxEntry] {
        do {
            return try await sample(of: scope, storage)
        } catch is DamagedRow {
            return []
        }
    }

    private static func sample(of scope: AccountScope, _ storage: any Storage) async throws -> [OutboxEntry] {
        let oldest = try await storage.notifications(NotificationQuery(scope: scope, limit: sample))
        guard oldest.count == sample else { return oldest }
        let known = Set(oldest.map(\.id))
        let newest = NotificationQuery(scope: scope, isDescending: true, limit: sample)
        return oldest + (try await storage.notifications(newest)).filter { !known.contains($0.id) }
    }

    private static func isIntact(
        _ parts: NotificationParts<SignedPart>,
        _ header: [UInt8],
        _ signature: CachedSignature
    ) -> Bool {
        let inner = [parts.transactionInfo, parts.renewalInfo].compactMap(\.self)
        let whole = Shop.completed(parts.body.payload, parts.transactionInfo, parts.renewalInfo, header: header)
        return inner.allSatisfy { signature.isValid($0.signature, for: $0.payload) }
            && signature.isValid(parts.body.signature, for: whole)
    }
}
