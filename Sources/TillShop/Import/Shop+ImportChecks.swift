import TillCore
import TillStorage

/// What an import checks before it changes anything.
extension Shop {
    /// Checks that the clock of an import can be created.
    func check(_ clock: ClockName, of source: SourceCustomer) throws {
        guard source.instant >= ClockState.start else {
            throw ImportRefused.badDocument(
                "$.answers: the time of the answers is \(source.instant.iso8601), and no clock can be set to a time "
                    + "before \(ClockState.start.iso8601)"
            )
        }
        try ClockState.requireBeforeEnd(source.instant)
        guard !clocks.exists(clock) else {
            throw ClockRefused(
                code: "clock_exists",
                message: "A clock \(clock.key) already exists, and the imported customer gets a new one. Choose "
                    + "another name (till customer import --clock), or delete the clock (till clock delete)."
            )
        }
    }

    /// Checks what the source says against the stored data.
    func check(_ customer: CustomerName, _ source: SourceCustomer, _ isAnonymous: Bool) async throws {
        guard try await storage.account(of: customer) == nil else {
            throw ImportRefused.customerExists(customer.customer)
        }
        guard !isAnonymous else { return }
        let scope = customer.scope
        let numbers = Set(source.transactions.map(\.number))
        if let number = source.appTransactionID, numbers.contains(number) {
            throw ImportRefused.identifierTwice(String(number))
        }
        for number in numbers.union([source.appTransactionID].compactMap(\.self)) {
            let account = try await AccountID.hasShape(number) ? storage.storedAccount(AccountID(number)) : nil
            let known = try await transaction(shown: number, in: scope)
            guard account == nil, known == nil else { throw ImportRefused.identifierExists(String(number)) }
        }
        for item in Set(source.transactions.compactMap(\.row.lineItem)) {
            let known = try await storage.foreignIdentifier(.lineItem, String(item), in: scope)
            let isOwn = try await hasOwnLineItem(item, in: scope)
            guard known == nil, !isOwn else { throw ImportRefused.identifierExists(String(item)) }
        }
        for order in source.orders.keys {
            let known = try await storage.foreignIdentifier(.order, order, in: scope)
            var isOwn = false
            if let id = OrderID(wireForm: order) { isOwn = try await !storage.transactions(in: id).isEmpty }
            guard known == nil, !isOwn else { throw ImportRefused.identifierExists(order) }
        }
    }

    /// Whether Till created a `webOrderLineItemId` for a transaction of the app's environment. Line items have no
    /// index, but Till takes the counter value of a line item right after that of its transaction, or after that of the
    /// order in between.
    private func hasOwnLineItem(_ item: Int64, in scope: AccountScope) async throws -> Bool {
        for distance in 1...2 as ClosedRange<Int64> where item > distance * Partition.count {
            let id = TransactionID(item - distance * Partition.count)
            guard try await storage.owner(of: id, in: scope) != nil else { continue }
            if try await storage.transaction(id)?.lineItem == item { return true }
        }
        return false
    }
}

extension SourceCustomer {
    /// Makes the transactions of products unreadable.
    ///
    /// - Parameter productsWithReasons: why the catalog refuses each product, by product id.
    mutating func refuse(productsWithReasons refused: [String: String]) {
        for found in transactions {
            guard let reason = refused[found.row.productID] else { continue }
            unreadable.append(
                ImportedAccount.Finding("transaction \(found.number)", "the catalog refuses its product: \(reason)")
            )
        }
        transactions.removeAll { refused[$0.row.productID] != nil }
    }
}
