import Foundation
import Testing
import TillControl
import TillShop

@testable import AppStoreServer

/// Customers with everything that adds a key to a payload or an answer.
struct FeatureWorkload {
    static let catalog = """
        {"groups": [{"groupId": "21", "name": "Levels"}, {"groupId": "22", "name": "Years"}], "products": [
         {"productId": "coins", "type": "CONSUMABLE", "price": "0.99"},
         {"productId": "season", "type": "NON_RENEWABLE", "price": "4.99"},
         {"productId": "forever", "type": "NON_CONSUMABLE", "price": "9.99", "familyShareable": true},
         {"productId": "basic", "type": "AUTO_RENEWABLE", "price": "4.99",
          "subscription": {"groupId": "21", "level": 2, "period": "P1M"}, "offers": [
           {"kind": "INTRODUCTORY", "mode": "FREE_TRIAL", "period": "P1W", "periodCount": 1},
           {"kind": "CODE", "id": "STAYING", "mode": "PAY_AS_YOU_GO", "price": "1.99", "currency": "USD",
            "period": "P1M", "periodCount": 2, "audience": ["EXISTING"]},
           {"kind": "WIN_BACK", "id": "return", "mode": "PAY_UP_FRONT", "price": "6.99", "currency": "USD",
            "period": "P3M", "periodCount": 1}]},
         {"productId": "pro", "type": "AUTO_RENEWABLE", "price": "9.99", "familyShareable": true,
          "subscription": {"groupId": "21", "level": 1, "period": "P1M"}},
         {"productId": "year", "type": "AUTO_RENEWABLE", "price": "49.99",
          "subscription": {"groupId": "22", "level": 1, "period": "P1Y", "billingPlans": [
           {"kind": "BILLED_UPFRONT", "price": "49.99", "enabled": true},
           {"kind": "MONTHLY", "price": "4.99", "enabled": true, "commitment": {"price": "59.88"}}]}}]}
        """
    /// All notifications are in the history, and each has one attempt.
    static let settings: Settings = {
        var settings = Settings()
        settings.historyListsAll = true
        settings.retriesInSandbox = false
        return settings
    }()

    private let server: LiveServer
    private let app = LiveServer.app
    /// The first transaction of each customer.
    private(set) var customers: [String: String] = [:]
    private(set) var orders: [String] = []
    /// The start of the clock.
    private(set) var begin = Timestamp(milliseconds: 0)

    init(on server: LiveServer) async throws {
        self.server = server
        begin = try await server.control.send(SetClock(app: app, mode: .frozen)).now
        _ = try await server.control.send(UpdateSettings(app: app, grace: GracePeriodInfo(days: 16)))
        _ = try await server.control.send(SetEndpoint(app: app, endpoint: "primary", url: "http://127.0.0.1:9/"))
        _ = try await server.control.send(CreateFamily(app: app, organizer: "eve", members: ["fay"]))
        try await begins()
        try await goesOn()
    }

    private mutating func begins() async throws {
        let none = OfferToApply(kind: .none)
        try await buy("ann", "basic", token: "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        for name in ["bob", "carl", "dora", "ivy", "jim"] { try await buy(name, "basic", offer: none) }
        try await buy("eve", "pro")
        try await buy("eve", "forever")
        try await buy("gus", "year", plan: .monthly)
        try await buy("hal", "coins", quantity: 3)
        try await buy("hal", "season")
        try await buy("kim", "coins")
        let control = server.control
        _ = try await control.send(CancelSubscription(app: app, originalTransactionId: id("carl")))
        _ = try await control.send(UpdateCustomer(app: app, customer: "dora", card: .declinedForRenewals))
        try await buy("bob", "basic", offer: OfferToApply(kind: .code, id: "STAYING"))
        let raise = RaisePrice(app: app, productId: "basic", price: 5_990, consent: .required)
        _ = try await control.send(raise)
        _ = try await control.send(AdvanceClock(app: app, by: "P5D"))
        for name in ["bob", "dora", "ivy"] {
            _ = try await control.send(AcceptPriceIncrease(app: app, originalTransactionId: id(name)))
        }
        _ = try await control.send(AdvanceClock(app: app, by: "P5D"))
        let change = ChangeSubscription(app: app, originalTransactionId: id("ann"), productId: "pro")
        _ = try await control.send(change)
    }

    private mutating func goesOn() async throws {
        let control = server.control
        _ = try await control.send(AdvanceClock(app: app, by: "P26D"))
        let paid = try #require(try await server.client().subscriptionStatuses(of: id("eve")).data.first)
        let latest = try #require(paid.lastTransactions.first).signedTransactionInfo.unverifiedPayload()
        _ = try await control.send(RefundTransaction(app: app, transactionId: latest.transactionId))
        let part = RefundTransaction(app: app, transactionId: id("hal"), share: .part, percentage: 50_000)
        _ = try await control.send(part)
        let asked = RequestRefund(app: app, transactionId: id("kim"), reason: .unintendedPurchase)
        _ = try await control.send(asked)
        let fay = try await control.send(ListTransactions(app: app, customer: "fay")).transactions
        customers["fay"] = fay.first?.originalTransactionId
    }

    private func id(_ customer: String) -> String { customers[customer] ?? "" }

    private mutating func buy(
        _ customer: String,
        _ product: String,
        offer: OfferToApply? = nil,
        quantity: Int? = nil,
        plan: BillingPlanType? = nil,
        token: String? = nil
    ) async throws {
        let purchase = BuyProduct(
            app: app,
            customer: customer,
            productId: product,
            quantity: quantity,
            appAccountToken: token,
            offer: offer,
            billingPlan: plan
        )
        let transaction = try #require(try await server.control.send(purchase).transaction)
        if customers[customer] == nil { customers[customer] = transaction.originalTransactionId }
        if let order = transaction.orderId { orders.append(order) }
    }

    // MARK: Notifications

    /// Sends a notification of each type and subtype. A purchase leads to the unknown type of the forward-compatible
    /// payload profile.
    func sendAll() async throws {
        _ = try await server.buy("coins", by: "kim")
        for type in NotificationType.allCases {
            for subtype in type.subtypes { try await send(type, subtype) }
        }
    }

    private func send(_ type: NotificationType, _ subtype: NotificationSubtype?) async throws {
        // Some types are about a transaction, some about a customer, and some about neither.
        let subjects = [(id("ann"), nil), (nil, "ann"), (nil, nil)] as [(String?, String?)]
        for (transaction, customer) in subjects {
            let request = TriggerNotification(
                app: app,
                type: type,
                subtype: subtype,
                transactionId: transaction,
                customer: customer
            )
            do {
                _ = try await server.control.send(request)
                return
            } catch is ControlFailure {
                continue
            }
        }
        Issue.record("\(type) \(subtype?.rawValue ?? "") cannot be sent")
    }
}
