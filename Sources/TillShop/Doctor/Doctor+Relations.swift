import TillCore
import TillStorage

/// Checks whether an account contradicts itself or the accounts that it names.
extension Doctor {
    /// Finds contradictions, which would make the rules fail, in an account that was just read. A change of a family
    /// changes every member. So the account's version shows afterwards whether the family changed during the check.
    func relationFindings(_ account: Account, _ storage: any Storage) async throws -> [String] {
        var accounts = [account]
        for member in account.family?.members ?? [] where member != account.id {
            guard let stored = try await storage.storedAccount(member) else { continue }
            // Damage of another member is reported for that member.
            guard let other = stored.account else { return [] }
            if other.id == member { accounts.append(other) }
        }
        var findings: [String] = []
        // A contradiction in another member is reported for that member.
        if let damaged = Ledger.damage(in: accounts), damaged.account == account.id {
            findings.append("Account \(account.id.number) (\(account.customer)) is damaged: \(damaged.reason).")
        }
        let stored = try await storage.account(of: account.customerName)
        if stored?.id != account.id {
            findings.append(
                "Account \(account.id.number) (\(account.customer)) is not stored under its own environment, app "
                    + "and name."
            )
        }
        if account.clock != nil, try await !hasClock(account.clockName, storage) {
            findings.append(
                "Account \(account.id.number) (\(account.customer)) is on the clock \(account.clockName.key), "
                    + "which does not exist."
            )
        }
        for request in account.refundRequests {
            guard try await storage.transaction(request.transaction)?.account != account.id else { continue }
            findings.append(
                "Account \(account.id.number) (\(account.customer)) asks for a refund of transaction "
                    + "\(request.transaction.number), which it does not have."
            )
        }
        return findings
    }

    private func hasClock(_ name: ClockName, _ storage: any Storage) async throws -> Bool {
        try await storage.documents(.clock).contains { document in
            (try? document.decoded(as: Clocks.Record.self))?.name == name
        }
    }
}
