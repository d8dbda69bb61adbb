import TillControl
import TillShop
import TillStorage

/// Operations for `till listen`, which fetches notifications over the control API and forwards them to a local server.
extension ControlAPI {
    var listenRoutes: [ControlRoute] {
        [
            ControlRoute(Listen.self) { call in
                let offer = try await shop.nextOffer(in: try call.scope(), wait: .seconds(call.wait ?? 25))
                return offer.map { DeliveryOfferInfo($0) } ?? DeliveryOfferInfo()
            },
            ControlRoute(AnswerDelivery.self, waitsForRestore: false) { call in
                let scope = try call.scope()
                let result: SendAttemptResult =
                    if let status = call.status {
                        (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
                    } else {
                        call.result ?? .other
                    }
                let delivered = AttemptResult(result: result, status: call.status, milliseconds: 0)
                guard shop.listeners.answer(call.deliveryToken, in: scope, delivered) else {
                    throw ControlError.notFound(
                        "unknown_delivery",
                        "No delivery of this app's environment has this token. If it has timed out, Till retries it "
                            + "later."
                    )
                }
                return NoAnswer()
            },
        ]
    }
}

extension DeliveryOfferInfo {
    fileprivate init(_ offer: Listeners.Offer) {
        self.init(
            deliveryToken: offer.token,
            notificationUUID: offer.entry.uuid,
            notificationType: offer.entry.type,
            subtype: offer.entry.subtype,
            body: String(decoding: offer.body, as: UTF8.self)
        )
    }
}
