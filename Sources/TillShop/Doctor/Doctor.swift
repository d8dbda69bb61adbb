import Foundation
import TillCore
import TillSigning
import TillStorage

/// Checks the data of a server: files, certificates, the database, and whether the data agrees with the rules. It
/// changes nothing.
package struct Doctor: Sendable {
    private let directory: DataDirectory
    private let now: Timestamp

    /// - Parameter now: the time at which the certificates must be valid, in milliseconds since 1970.
    package init(_ directory: DataDirectory, now: Int64) {
        self.directory = directory
        self.now = Timestamp(milliseconds: now)
    }

    /// The result of all checks.
    package struct Report: Sendable {
        /// Findings about files and folders that other users can access: each a sentence with the command that fixes
        /// it.
        package let modes: [String]
        /// All other findings, a sentence each.
        package internal(set) var others: [String]
        /// Why the database could not be reached; nil if it could. Without the database, its data was not checked.
        package internal(set) var unreached: (any Error)?

        /// All findings, a sentence each. Empty if there are none.
        package var findings: [String] { modes + others }
    }

    /// All findings, a sentence each. Empty if there are none.
    ///
    /// - Parameter open: opens the store for reading.
    package func findings(_ open: () throws -> any Storage) async -> [String] {
        let report = await report(open)
        return report.findings + (report.unreached.map { ["The database cannot be read: \($0)"] } ?? [])
    }

    /// Runs all checks.
    ///
    /// - Parameter open: opens the store for reading.
    package func report(_ open: () throws -> any Storage) async -> Report {
        let (modes, others) = fileFindings()
        var report = Report(modes: modes, others: others + certificateFindings())
        do {
            try await examine(open, &report)
        } catch {
            if (error as? any StorageError)?.isUnreached == true {
                report.unreached = error
            } else {
                report.others.append("The database cannot be read: \(error.logText)")
            }
        }
        return report
    }

    private func examine(_ open: () throws -> any Storage, _ report: inout Report) async throws {
        let storage = try open()
        if let command = try await storage.unfinished {
            report.others.append(MigrationRefused.unfinished(command).description)
        }
        report.others += try await storage.examine()
        report.others += try await rowFindings(storage)
        var registry: Registry?
        do {
            let read = try await Registry(storage: storage)
            report.others += await registryFindings(storage, read)
            registry = read
        } catch {
            report.others.append("A team, app, key or catalog cannot be read: \(error.logText)")
        }
        report.others += await rootFindings(storage)
        report.others += try await ledgerFindings(storage, registry)
        if let registry {
            report.others += try await endpointFindings(storage, registry) + pausedFindings(registry)
            report.others += try await signatureFindings(storage, registry)
        }
        try await storage.close()
    }

    // MARK: Files

    private func fileFindings() -> (modes: [String], others: [String]) {
        let files = FileManager.default
        guard let walk = files.enumerator(atPath: directory.path) else {
            return ([], ["The folder \(directory.path) cannot be read."])
        }
        var findings = modeFinding(directory.path, 0o700)
        for case let name as String in walk {
            let path = "\(directory.path)/\(name)"
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            findings += modeFinding(path, isFolder.boolValue ? 0o700 : 0o600)
        }
        return (findings, [])
    }

    private func modeFinding(_ path: String, _ wanted: Int) -> [String] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o777 != wanted else {
            return []
        }
        let octal = { (mode: Int) in String(mode & 0o777, radix: 8) }
        return ["\(path) has mode \(octal(mode)); it must be \(octal(wanted)): chmod \(octal(wanted)) \(path)"]
    }

    // MARK: Certificates

    private func certificateFindings() -> [String] {
        let certificates = CertificateStore(directory)
        for file in [directory.rootCertificate, directory.rootKey, directory.currentChain]
        where !FileManager.default.fileExists(atPath: file) {
            return ["\(file) is missing; restore it from a backup."]
        }
        let root: RootAuthority
        do {
            root = try certificates.root()
        } catch {
            return ["The root certificate cannot be used: \(error.logText)"]
        }
        do {
            let chain = try certificates.currentChain()
            var findings = chain.problems(at: now.milliseconds).map { "In the signing chain \(chain.id), \($0)." }
            if chain.rootFingerprint != root.fingerprint {
                findings.append(
                    "The signing chain \(chain.id) was issued by another root than \(directory.rootCertificate)."
                )
            }
            if let finding = ReceiptKeyStore(directory).finding() { findings.append(finding) }
            return findings
        } catch {
            return ["The signing chain cannot be used: \(error.logText)"]
        }
    }

    /// Checks whether the root of this data directory is the root that the database has recorded.
    private func rootFindings(_ storage: any Storage) async -> [String] {
        guard let recorded = try? await SharedRoots.recorded(in: storage),
            let root = try? CertificateStore(directory).presentRoot(), root.fingerprint != recorded.root
        else { return [] }
        return ["The database was used with another root than \(directory.rootCertificate); restore the folder ca."]
    }

    // MARK: Configuration

    private func registryFindings(_ storage: any Storage, _ registry: Registry) async -> [String] {
        let tokens = (try? await storage.documents(.token)) ?? []
        return tokens.filter { Registry.fault(in: $0) != nil }
            .map { "The control token \($0.name) cannot be read and is not accepted: till token delete \($0.name)" }
            + registry.apps.filter { registry.team($0.issuerID) == nil }
            .map { "App \($0.bundleID) belongs to team \($0.issuerID), which does not exist." }
            + registry.keys.filter { registry.team($0.issuerID) == nil }
            .map { "Key \($0.id) belongs to team \($0.issuerID), which does not exist." }
    }

    // MARK: The ledger

    private func ledgerFindings(_ storage: any Storage, _ registry: Registry?) async throws -> [String] {
        var findings: [String] = []
        let apps = Set(try await storage.documents(.app).map(\.name))
        var after: AccountID?
        while findings.count < Self.maxFindings {
            let accounts = try await storage.storedAccounts(of: nil, after: after, limit: 200)
            guard let last = accounts.last else { break }
            after = last.id
            for stored in accounts { findings += try await findingsOfStored(stored, apps, storage, registry) }
        }
        return Array(findings.prefix(Self.maxFindings))
    }

    /// Reports a damaged account as a finding, so that the check continues with the other accounts.
    private func findingsOfStored(
        _ stored: StoredAccount,
        _ apps: Set<String>,
        _ storage: any Storage,
        _ registry: Registry?
    ) async throws -> [String] {
        do {
            return try await findingsAtRest(try stored.get(), apps, storage, registry)
        } catch let damaged as DamagedAccount {
            return ["Account \(damaged.account.number) (\(damaged.customer)) is damaged: \(damaged.reason)."]
        } catch is DamagedRow {
            // The row with the account's deadline is damaged; `rowFindings` has already reported it.
            return ["Account \(stored.id.number) (\(stored.customer)) has rows that cannot be read."]
        }
    }

    /// Checks an account. If a running server changes the account during the check, the account is checked again.
    private func findingsAtRest(
        _ account: Account,
        _ apps: Set<String>,
        _ storage: any Storage,
        _ registry: Registry?
    ) async throws -> [String] {
        var account = account
        var findings: [String] = []
        for _ in 0..<100 {
            let stored: [String]
            do {
                stored = try await relationFindings(account, storage) + findingsOfRows(account, storage)
            } catch let damaged as DamagedRow {
                // If one row is missing, the other rows cannot be compared with the account.
                stored = ["Account \(account.id.number) (\(account.customer)) is damaged: \(damaged.reason)."]
            }
            // Read after the rows, so that the high-water mark is above the ids of all these rows.
            findings = findingsOf(account, apps, try await storage.identifierHighWater()) + stored
            if let registry {
                findings += dueFindings(account, noted: try await storage.nextDue(of: account.id), registry)
            }
            guard !findings.isEmpty, let present = try await storage.account(account.id),
                present.version != account.version
            else { break }
            account = present
        }
        return findings
    }

    private static let maxFindings = 1_000

    private func findingsOf(_ account: Account, _ apps: Set<String>, _ highWater: Int64) -> [String] {
        var findings: [String] = []
        let name = "Account \(account.id.number) (\(account.customer))"
        if !apps.contains(account.app) {
            findings.append("\(name) belongs to app \(account.app), which does not exist.")
        }
        if account.customerName.partition != account.id.partition {
            findings.append("\(name) is not in the partition of its customer.")
        }
        if Identifiers.counter(of: account.id) >= highWater {
            findings.append("\(name) has an id that was never reserved (the next counter is \(highWater)).")
        }
        return findings
    }

    /// Compares an account's transactions with its state.
    private func findingsOfRows(_ account: Account, _ storage: any Storage) async throws -> [String] {
        var findings: [String] = []
        var rows: [TransactionID: Transaction] = [:]
        var query = HistoryQuery(account: account.id, limit: 500)
        while true {
            let page = try await storage.history(query)
            for row in page.rows {
                rows[row.id] = row
                if let number = row.refundNumber, number > account.refundNumber {
                    findings.append(
                        "Transaction \(row.id.number) has refund number \(number), which its account never assigned."
                    )
                }
            }
            guard page.hasMore, let last = page.rows.last else { break }
            query.position = last.change
        }
        let highWater = try await storage.identifierHighWater()
        findings += rows.keys.sorted().filter { Identifiers.counter(of: $0) >= highWater }
            .map { "Transaction \($0.number) has an id that was never reserved (the next counter is \(highWater))." }
        for row in rows.values.sorted(by: { $0.id < $1.id }) where rows[row.originalID] == nil {
            findings.append(
                "Transaction \(row.id.number) names the original transaction \(row.originalID.number), "
                    + "which is missing."
            )
        }
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) where rows[row.id] != row {
                findings.append(
                    "The subscription \(subscription.originalID.number) has another version of transaction "
                        + "\(row.id.number) than the ledger."
                )
            }
        }
        for row in rows.values.sorted(by: { $0.id < $1.id })
        where row.type == .nonConsumable && row.revocation == nil
            && !account.ownedProducts.contains(where: { $0.transaction == row.id })
        {
            findings.append(
                "Account \(account.id.number) does not record that it owns \(row.productID) "
                    + "by transaction \(row.id.number)."
            )
        }
        for ownedProduct in account.ownedProducts {
            let name = "Account \(account.id.number) owns \(ownedProduct.productID) by transaction"
            if let row = rows[ownedProduct.transaction] {
                guard let fault = ownedProduct.fault(in: row) else { continue }
                findings.append("\(name) \(row.id.number), \(fault).")
            } else {
                findings.append("\(name) \(ownedProduct.transaction.number), which is missing.")
            }
        }
        return findings
    }
}

extension OwnedProduct {
    /// How a transaction differs from what the account records about the owned product; nil if it does not differ. The
    /// text is a clause without a full stop.
    func fault(in row: Transaction) -> String? {
        if row.productID != productID { return "which is for the product \(row.productID)" }
        if row.ownership != ownership { return "whose ownership differs from the account's record" }
        return (row.revocation != nil) == isRevoked ? nil : "whose revocation differs from the account's record"
    }
}
