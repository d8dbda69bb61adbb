import TillControl
import TillCore
import TillShop
import TillStorage

/// The list of upcoming events.
extension ControlAPI {
    var upcomingEventRoutes: [ControlRoute] {
        [ControlRoute(ListUpcomingEvents.self) { try await listUpcomingEvents($0) }]
    }

    private func listUpcomingEvents(_ call: ControlCall<ListUpcomingEvents>) async throws -> UpcomingEventList {
        let name = ClockName(try call.scope(), own: call.clock)
        try check(name)
        let due = try await shop.storage.dueAccounts(
            on: name,
            until: Timestamp(milliseconds: .max),
            limit: call.limit ?? 20
        )
        var events: [UpcomingEventInfo] = []
        for entry in due {
            let account = try await shop.storage.storedAccount(entry.id)?.account
            events.append(UpcomingEventInfo(entry, account.flatMap { shop.upcomingEvents(to: $0) }))
        }
        return UpcomingEventList(events: events, nextAttemptDate: try await shop.nextDelivery(on: name))
    }
}

extension UpcomingEventInfo {
    init(_ due: DueAccount, _ event: UpcomingEvent?) {
        self.init(
            date: due.due,
            customer: due.customer,
            event: event?.kind,
            transactionId: event?.transaction.wireForm
        )
    }
}
