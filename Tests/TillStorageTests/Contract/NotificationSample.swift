import TillCore
import TillStorage

/// A history with all kinds of notifications, and the queries to read it.
enum NotificationSample {
    static let scope = StorageFixture.scope
    private static let types: [(String, String?)] = [
        ("DID_RENEW", nil), ("DID_RENEW", "BILLING_RECOVERY"), ("EXPIRED", "VOLUNTARY"), ("REFUND", nil),
    ]

    /// Sixty notifications of two customers and of the app, some of them at the same instant.
    /// Of every five notifications, one was not attempted, two failed and two were delivered. One in seven was sent
    /// manually, and one in eleven is of version 1.
    static func notifications(_ fixture: StorageFixture) async throws -> [(entry: OutboxEntry, delivery: Delivery)] {
        let ann = fixture.account("ann", number: 1)
        let bob = fixture.account("bob", number: 2)
        for account in [ann, bob] { _ = try await fixture.commit(account, rows: []) }
        let owners: [AccountID?] = [ann.id, bob.id, nil]
        var notifications: [(entry: OutboxEntry, delivery: Delivery)] = []
        for number in 1...60 {
            let (type, subtype) = types[number % types.count]
            let owner = owners[number % 3]
            let entry = OutboxEntry(
                id: NotificationID(Int64(number) * 1_024 + Int64((owner?.partition ?? ann.id.partition).number)),
                scope: scope,
                account: owner,
                original: nil,
                transaction: nil,
                uuid: "uuid-\(number)",
                type: type,
                subtype: subtype,
                isTriggered: number % 7 == 0,
                signedDate: Timestamp(milliseconds: Int64(number / 4) * 1_000),
                content: content(number)
            )
            var delivery = Delivery(of: entry, to: "primary", clock: ClockName(scope), due: entry.signedDate)
            let change = Change(notifications: [entry], deliveries: [delivery])
            try await fixture.storage.commit([change])[0].get()
            if number % 5 != 0 {
                delivery.isDelivered = number % 5 > 2
                let result: SendAttemptResult = delivery.isDelivered ? .success : .timedOut
                delivery.attempts = [SendAttempt(date: entry.signedDate, result: result, milliseconds: number)]
                delivery.due = nil
                try await fixture.storage.record([delivery])
            }
            notifications.append((entry, delivery))
        }
        return notifications.sorted { ($0.entry.signedDate, $0.entry.id) < ($1.entry.signedDate, $1.entry.id) }
    }

    /// One in eleven is of version 1, and one in three is unsigned.
    private static func content(_ number: Int) -> NotificationContent {
        let body = Array("{}".utf8)
        if number % 11 == 0 { return .versionOne(body) }
        if number % 3 == 0 { return .unsigned(NotificationParts(body: body)) }
        return .signed(NotificationParts(body: SignedPart(payload: body, signature: [1])), chain: "chain")
    }

    static let queries: [NotificationQuery] = {
        let from = Timestamp(milliseconds: 3_000)
        let to = Timestamp(milliseconds: 12_000)
        var queries: [NotificationQuery] = []
        for endpoint in ["primary", nil] {
            for isDescending in [false, true] {
                for (type, subtype, isFixed) in [
                    (nil, nil, false), ("DID_RENEW", nil, false), ("DID_RENEW", "BILLING_RECOVERY", true),
                    ("DID_RENEW", nil, true), ("TEST", nil, false),
                ] as [(String?, String?, Bool)] {
                    queries.append(
                        NotificationQuery(
                            scope: scope,
                            endpoint: endpoint,
                            from: from,
                            to: to,
                            type: type,
                            subtype: subtype,
                            isSubtypeFixed: isFixed,
                            isDescending: isDescending,
                            limit: 4
                        )
                    )
                }
            }
        }
        return queries
    }()
}
