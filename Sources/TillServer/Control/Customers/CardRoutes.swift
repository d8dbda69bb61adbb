import TillControl
import TillCore
import TillShop

/// Operations on payment methods and Ask to Buy.
extension ControlAPI {
    var cardRoutes: [ControlRoute] {
        [
            ControlRoute(SetCard.self) { call in
                try await change(try await call.account(), .useCard(call.card), at: call.at)
            },
            ControlRoute(SetAskToBuy.self) { call in
                try await change(try await call.account(), .setAskToBuy(call.asksToBuy), at: call.at)
            },
        ]
    }

    private func change(_ account: Account, _ command: Command, at instant: Timestamp?) async throws -> CustomerChange {
        let outcome = try await perform(command, by: account, at: instant)
        let effects = Effects(outcome)
        return CustomerChange(
            customer: info(of: outcome.account),
            events: effects.names,
            notifications: effects.notices
        )
    }
}
