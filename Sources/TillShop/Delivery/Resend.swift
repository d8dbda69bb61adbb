import TillCore
import TillStorage

/// Sends notifications again, on request.
extension Shop {
    /// Makes the delivery of a notification to an endpoint due again. The same bytes are sent, and the records of
    /// earlier attempts are kept.
    ///
    /// - Parameter endpoint: the name of the endpoint; nil for all present endpoints with the notification's version.
    /// - Returns: the number of endpoints to which the notification will be sent.
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
        if !renewed.isEmpty {
            try await storage.redeliver(entry.id, to: renewed, due: present)
            Settlement.current?.add(renewed.map { Delivery(of: entry, to: $0, clock: clock, due: present) })
        }
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
