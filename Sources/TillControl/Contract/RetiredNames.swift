/// Names of version 0.1.0 that the server no longer accepts. A request with an old name is refused with the new one.
package enum RetiredNames {
    /// Paths, each with its successor.
    package static let paths: [(old: String, new: String)] = [
        ("/v1/apps/{bundleId}/{environment}/rules", "/v1/apps/{bundleId}/{environment}/settings"),
        ("/v1/apps/{bundleId}/{environment}/coming", "/v1/apps/{bundleId}/{environment}/upcoming-events"),
        ("/v1/apps/{bundleId}/{environment}/clock/leap", "/v1/apps/{bundleId}/{environment}/clock/advance"),
        (
            "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
            "/v1/apps/{bundleId}/{environment}/clock, with clock in the query or in the body,"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/clocks/{clock}/leap",
            "/v1/apps/{bundleId}/{environment}/clock/advance, with clock in the body,"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/attacks/receipts",
            "/v1/apps/{bundleId}/{environment}/attacks?receipts=true"
        ),
        ("/v1/ca/receipts", "/v1/ca?receipts=true"),
        ("/v1/apps/{bundleId}/{environment}/notifications/test", "/v1/apps/{bundleId}/{environment}/notifications"),
        (
            "/v1/apps/{bundleId}/{environment}/notifications/{notificationUUID}/resend",
            "/v1/apps/{bundleId}/{environment}/notifications/resend"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/card",
            "/v1/apps/{bundleId}/{environment}/customers/{customer}"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/ask-to-buy",
            "/v1/apps/{bundleId}/{environment}/customers/{customer}"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/clock",
            "/v1/apps/{bundleId}/{environment}/customers/{customer}"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/erase",
            "/v1/apps/{bundleId}/{environment}/customers/{customer}"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/refund-requests",
            "/v1/apps/{bundleId}/{environment}/refund-requests"
        ),
        (
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/family/members",
            "/v1/apps/{bundleId}/{environment}/customers/{customer}/family/members/{member}"
        ),
        ("/v1/journal", "/v1/requests"),
        ("/v1/journal/{requestId}", "/v1/requests/{requestId}"),
    ]

    /// Keys of request bodies, each with its successor.
    static let keys = [
        "weather": "payloadProfile",
        "realm": "environment",
        "receipt": "the query parameter include=receipt",
    ]
}
