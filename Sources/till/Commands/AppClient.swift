import TillControl

/// A client for requests about an app in one of its environments.
struct AppClient: Sendable {
    let client: ControlClient
    let app: AppEnvironment

    /// The original transaction id of a subscription. The user gives the id of one of its transactions, or a customer
    /// who has one subscription.
    func subscription(_ named: String) async throws -> String {
        if named.utf8.count >= 15, named.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return named }
        let customer = try await client.send(GetCustomer(app: app, customer: named))
        let own = customer.subscriptions.filter { $0.inAppOwnershipType == .purchased }
        guard let only = own.first, own.count == 1 else {
            throw CommandRefused(
                own.isEmpty
                    ? "Customer \(named) has bought no subscription."
                    : "Customer \(named) has \(own.count) subscriptions. Give the original transaction of one:\n"
                        + own.map(ActionSummary.subscription).joined(separator: "\n")
            )
        }
        return only.originalTransactionId
    }
}
