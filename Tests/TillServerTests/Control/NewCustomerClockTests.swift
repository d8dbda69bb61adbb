import Testing
import TillControl
import TillCore
import TillTestSupport

/// Checks the clock of a customer whom an operation creates.
@Suite("Clocks of new customers, through the control API")
struct NewCustomerClockTests {
    /// Before the present time of the environment's clock.
    private static let start = Timestamp(milliseconds: 1_735_689_600_000)

    @Test("A purchase, a new customer and a new family begin on a new clock")
    func newClock() async throws {
        try await TypedControl.run { control in
            let app = control.app
            let bought = try await control.send(
                BuyProduct(app: app, customer: "ann", productId: "pro", newClock: Self.start)
            )
            #expect(bought.transaction?.purchaseDate == Self.start)
            let kim = try await control.send(CreateCustomer(app: app, customer: "kim", newClock: Self.start))
            #expect(kim.clock == "kim")
            _ = try await control.send(
                CreateFamily(app: app, organizer: "eva", members: ["leo"], newClock: Self.start)
            )
            for (customer, clock) in [("ann", "ann"), ("kim", "kim"), ("eva", "eva"), ("leo", "eva")] {
                #expect(try await control.send(GetCustomer(app: app, customer: customer)).clock == clock)
            }
            let clocks = try await control.send(ListClocks(app: app))
            #expect(clocks.map(\.name) == ["ann", "eva", "kim"])
            #expect(clocks.allSatisfy { $0.mode == .frozen && $0.now == Self.start })
            let later = try await control.send(AdvanceClock(app: app, clock: "ann", by: "P1M"))
            #expect(later.accounts == 1)
        }
    }

    @Test("A new customer begins on an existing clock, and a new family member on the organizer's clock")
    func existingClock() async throws {
        try await TypedControl.run { control in
            let app = control.app
            _ = try await control.send(CreateClock(app: app, name: "past", at: Self.start))
            let bought = try await control.send(
                BuyProduct(app: app, customer: "ann", productId: "coins", clock: "past")
            )
            #expect(bought.transaction?.purchaseDate == Self.start)
            // A customer who is on the clock already can be named again.
            _ = try await control.send(BuyProduct(app: app, customer: "ann", productId: "coins", clock: "past"))
            #expect(try await control.send(CreateCustomer(app: app, customer: "ann", clock: "past")).clock == "past")
            _ = try await control.send(CreateFamily(app: app, organizer: "ann", members: ["bob"]))
            _ = try await control.send(JoinFamily(app: app, customer: "ann", member: "cem"))
            for customer in ["ann", "bob", "cem"] {
                #expect(try await control.send(GetCustomer(app: app, customer: customer)).clock == "past")
            }
            let ida = try await control.send(CreateCustomer(app: app, customer: "ida", clock: ""))
            #expect(ida.clock == nil)
        }
    }

    @Test("A clock that contradicts the request or the customer is refused, and no clock is left")
    func refusals() async throws {
        try await TypedControl.run { control in
            let app = control.app
            try await control.buy("coins", by: "ann")
            func buy(_ customer: String, _ product: String = "coins", clock: String? = nil, new: Bool = false)
                -> BuyProduct
            {
                BuyProduct(
                    app: app,
                    customer: customer,
                    productId: product,
                    clock: clock,
                    newClock: new ? Self.start : nil
                )
            }
            try await control.expectRefusal(400, "bad_clock", of: buy("bob", clock: "past", new: true))
            try await control.expectRefusal(404, "unknown_clock", of: buy("bob", clock: "past"))
            try await control.expectRefusal(409, "customer_exists", of: buy("ann", new: true))
            _ = try await control.send(CreateClock(app: app, name: "past"))
            try await control.expectRefusal(409, "on_another_clock", of: buy("ann", clock: "past"))
            try await control.expectRefusal(400, "bad_clock", of: buy("bob smith", new: true))
            try await control.expectRefusal(404, "unknown_product", of: buy("bob", "moon", new: true))
            #expect(try await control.send(ListClocks(app: app)).map(\.name) == ["past"])
            try await control.expectRefusal(404, "unknown_account", of: GetCustomer(app: app, customer: "bob"))
            _ = try await control.send(buy("bob", new: true))
            try await control.expectRefusal(409, "clock_exists", of: buy("past", new: true))
        }
    }
}
