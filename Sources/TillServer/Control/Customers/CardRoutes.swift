import HTTPTypes
import TillCore
import TillShop

/// How a customer pays, and whether a parent must agree.
extension ControlAPI {
    private static let answer = Schema.object(
        "The customer, and what happened.",
        customerProperties + Effects.properties
    )

    var cardRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/card",
                id: "setCard",
                tag: "cards",
                summary: "How the customer's card behaves from now on; what waits for a payment is charged at once.",
                request: .object(
                    "A card.",
                    [
                        Schema.required(
                            "card",
                            .string(
                                "declinedForRenewals leaves purchases alone; declined refuses both.",
                                oneOf: Card.allCases.map(\.rawValue)
                            )
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.answer
            ) { exchange in
                let card = exchange.body.text("card").flatMap(Card.init(rawValue:)) ?? .accepted
                return try await act(.useCard(card), exchange)
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/ask-to-buy",
                id: "setAskToBuy",
                tag: "cards",
                summary: "Whether what the customer buys waits for a parent.",
                request: .object(
                    "Ask to Buy.",
                    [Schema.required("asksToBuy", .boolean("Whether a parent must agree.")), instantProperty]
                ),
                response: Self.answer
            ) { exchange in
                try await act(.setAskToBuy(exchange.body.flag("asksToBuy") ?? false), exchange)
            },
        ]
    }

    private func act(_ command: Command, _ exchange: ControlExchange) async throws -> [UInt8] {
        let outcome = try await act(command, by: try await exchange.account(), exchange)
        var json = PayloadWriter()
        write(outcome.account, to: &json)
        Effects(outcome).write(to: &json)
        return json.finish()
    }
}
