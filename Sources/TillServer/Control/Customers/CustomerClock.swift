import TillControl
import TillCore
import TillShop
import TillSigning
import TillStorage

/// Chooses the clock of a customer whom an operation may create.
extension ControlAPI {
    /// Runs an operation that may create a customer on the clock of its request. If the operation fails, a new clock is
    /// removed again.
    ///
    /// - Parameter opening: the other properties of a new customer.
    /// - Throws: `ControlError` if the clock does not exist, or if the customer exists and is on another clock.
    func opening<Value: Sendable>(
        _ opening: Opening,
        of name: CustomerName,
        _ request: some CreatingRequest,
        _ operation: (Opening) async throws -> Value
    ) async throws -> Value {
        if request.newClock != nil, request.clock != nil {
            throw ControlError.bad("bad_clock", "Give either clock or newClock, not both.", path: "$.newClock")
        }
        guard request.clock != nil || request.newClock != nil else { return try await operation(opening) }
        // An empty name means the environment's clock.
        let own = request.clock.flatMap { $0.isEmpty ? nil : $0 }
        if own != nil { try shop.settings.checkMayMove(ClockName(name.scope, own: own)) }
        if let present = try await shop.storage.account(of: name) {
            try Self.check(present, isOn: request.clock == nil ? present.clock : own, request.newClock)
            return try await operation(opening)
        }
        var opening = opening
        opening.clock = own
        try check(ClockName(name.scope, own: own))
        guard let start = request.newClock else { return try await operation(opening) }
        try Self.check(clockName: name.customer, path: "$.newClock")
        opening.clock = name.customer
        let clock = ClockName(name.scope, own: name.customer)
        try await shop.createClock(clock, .frozen(at: start))
        do {
            await shop.settleNodes()
            return try await operation(opening)
        } catch {
            if try await shop.storage.account(of: name) == nil { try await shop.removeClock(clock) }
            throw error
        }
    }

    private static func check(_ account: Account, isOn clock: String?, _ newClock: Timestamp?) throws {
        let words = account.clock.map { "on the clock \($0)" } ?? "on the environment's clock"
        guard newClock == nil else {
            throw ControlError.conflict(
                "customer_exists",
                "Customer \(account.customer) already exists, \(words), and only a new customer gets a new clock "
                    + "(newClock; till … --clock new:DATE). Choose another name, or leave the clock out."
            )
        }
        guard account.clock == clock else {
            throw ControlError.conflict(
                "on_another_clock",
                "Customer \(account.customer) already exists, \(words). Assign the customer to the other clock first: "
                    + "till customer update \(account.customer) \(clock.map { "--clock \($0)" } ?? "--no-clock")."
            )
        }
    }

    /// Checks the name of a new customer clock.
    static func check(clockName name: String, path: String) throws {
        guard name.isPlain(1...64, and: "-._"), name != ".", name != ".." else {
            throw ControlError.bad(
                "bad_clock",
                "A clock's name must be 1 to 64 letters, digits, dots, dashes or underscores.",
                path: path
            )
        }
    }
}
