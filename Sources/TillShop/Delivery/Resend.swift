import TillCore
import TillStorage

/// Manual resends.
extension Shop {
    /// Makes a notification due again to an endpoint, with the same bytes; earlier attempts are kept.
    ///
    /// - Parameter endpoint: nil is every present endpoint of its version.
    /// - Returns: the number of endpoints.
    package func resend(_ entry: OutboxEntry, to endpoint: String? = nil) async throws -> Int {
        let known = try await storage.deliveries(of: entry.id)
        let clock = try await clock(of: entry)
        let present = now(on: clock)
        var renewed: [String] = []
        var change = Change()
        for record in deliveryTargets(of: entry.scope)
        where record.version == entry.version && (endpoint == nil || record.name == endpoint)
            && (!record.takesOnlyTests || entry.type == NotificationType.test.rawValue)
        {
            if known.contains(where: { $0.endpoint == record.key }) {
                renewed.append(record.key)
            } else {
                change.deliveries.append(Delivery(of: entry, to: record.key, clock: clock, due: present))
            }
        }
        if !renewed.isEmpty { try await storage.redeliver(entry.id, to: renewed, due: present) }
        if !change.isEmpty { try await commit(change, signedBy: signingChain) }
        signals.moved(clock)
        return renewed.count + change.deliveries.count
    }

    private func clock(of entry: OutboxEntry) async throws -> ClockName {
        guard let id = entry.account, let account = try await storage.account(id) else {
            return ClockName(entry.scope)
        }
        return account.clockName
    }
}
