import HTTPTypes
import TillCore
import TillJSON
import TillShop

/// Operations on payment methods and Ask to Buy.
extension ControlAPI {
    private static let answer = Schema.object(
        "The customer and the effects of the operation.",
        customerProperties + Effects.properties
    )

    var cardRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/card",
                id: "setCard",
                tag: "cards",
                summary:
                    "Sets whether the customer's card is accepted. Accepting the card charges failed payments at once.",
                request: .object(
                    "The new state of the card.",
                    [
                        Schema.required(
                            "card",
                            .string(
                                "declinedForRenewals declines renewals only; declined also declines purchases.",
                                oneOf: Card.allCases.map(\.rawValue)
                            )
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.answer
            ) { exchange in
                let card = exchange.body.text("card").flatMap(Card.init(rawValue:)) ?? .accepted
                return try await perform(.useCard(card), exchange)
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/ask-to-buy",
                id: "setAskToBuy",
                tag: "cards",
                summary: "Sets whether a parent must approve the customer's purchases (Ask to Buy).",
                request: .object(
                    "The Ask to Buy setting.",
                    [
                        Schema.required(
                            "asksToBuy",
                            .boolean("Whether a parent must approve the customer's purchases.")
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.answer
            ) { exchange in
                try await perform(.setAskToBuy(exchange.body.flag("asksToBuy") ?? false), exchange)
            },
        ]
    }

    private func perform(_ command: Command, _ exchange: ControlExchange) async throws -> [UInt8] {
        let outcome = try await perform(command, by: try await exchange.account(), exchange)
        var json = JSONWriter()
        write(outcome.account, to: &json)
        Effects(outcome).write(to: &json)
        return json.finish()
    }
}
