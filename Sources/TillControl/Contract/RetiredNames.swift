/// Names of version 0.1.0 that the server no longer accepts. A request with an old name is refused with the new one.
package enum RetiredNames {
    /// Paths, each with its successor, and with the method and keys if they are others.
    package static let paths: [(old: String, new: String)] =
        [
            ("/v1/journal", "/v1/requests"),
            ("/v1/journal/{requestId}", "/v1/requests/{requestId}"),
            ("/v1/reset", "DELETE /v1/state"),
            ("/v1/keys/{keyId}/revoke", "DELETE /v1/keys/{keyId}"),
            ("/v1/ca/receipts", "/v1/ca?receipts=true"),
            ("/v1/tls", "GET /v1/status, in tls,"),
            ("/v1/prune", "DELETE /v1/notifications, with days and dryRun in the query,"),
            ("/v1/faults/{faultId}", "DELETE /v1/faults?faultId={faultId}"),
            ("/v1/apps/{bundleId}/shared-secret", sharedSecret), ("/v1/teams/{issuerId}/shared-secret", sharedSecret),
        ]
        + inEnvironments.map { (environment + $0.old, $0.new.replacing("/…", with: environment)) }

    private static let sharedSecret = "PUT, with {\"remove\": true},"
    private static let environment = "/v1/apps/{bundleId}/{environment}"

    private static let inEnvironments: [(old: String, new: String)] = [
        ("/rules", "/…/settings"),
        ("/coming", "/…/upcoming-events"),
        ("/clock/leap", "/…/clock/advance"),
        ("/clocks/{clock}", "/…/clock, with clock in the query or in the body,"),
        ("/clocks/{clock}/leap", "/…/clock/advance, with clock in the body,"),
        ("/attacks/receipts", "/…/attacks?receipts=true"),
        ("/notifications/test", "POST /…/notifications with {\"type\": \"TEST\"}"),
        ("/notifications/{notificationUUID}/resend", "POST /…/notifications/resend, with notificationUUID,"),
        ("/customers/{customer}/card", "PATCH /…/customers/{customer}, with card,"),
        ("/customers/{customer}/ask-to-buy", "PATCH /…/customers/{customer}, with asksToBuy,"),
        ("/customers/{customer}/clock", "PATCH /…/customers/{customer}, with clock,"),
        ("/customers/{customer}/erase", "DELETE /…/customers/{customer}"),
        ("/customers/{customer}/refund-requests", "/…/refund-requests?customer={customer}"),
        ("/customers/{customer}/subscriptions", "/…/customers/{customer}, in subscriptions,"),
        ("/transactions/{transactionId}/receipt", "/…/customers/{customer}/receipt?transactionId={transactionId}"),
        ("/customers/{customer}/family/members", "PUT /…/customers/{customer}/family/members/{member}"),
    ]

    /// Keys of request bodies, each with its successor.
    static let keys = [
        "weather": "payloadProfile",
        "realm": "environment",
        "receipt": "the query parameter include=receipt",
        "settle": "a query parameter with a number of seconds, such as settle=10",
    ]
}
