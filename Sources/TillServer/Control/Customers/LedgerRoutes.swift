import TillControl
import TillCore
import TillShop
import TillStorage

/// Lists the transactions of a customer's ledger, unsigned.
extension ControlAPI {
    var ledgerRoutes: [ControlRoute] {
        [
            ControlRoute(ListTransactions.self) { try await listTransactions($0) },
            ControlRoute(ListUsedOffers.self) { try await listUsedOffers($0) },
        ]
    }

    private func listUsedOffers(_ call: ControlCall<ListUsedOffers>) async throws -> [UsedOfferInfo] {
        let bought = HistoryFilter(ownership: .purchased)
        var query = HistoryQuery(account: try await call.account().id, filter: bought, limit: 500)
        var rows: [Transaction] = []
        while true {
            let page = try await shop.storage.history(query)
            rows += page.rows.filter { $0.offer != nil }
            guard page.hasMore, let last = page.rows.last else { break }
            query.position = last.change
        }
        rows.sort { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
        // A renewal for the price of an offer is the same use of the offer.
        let uses = Dictionary(grouping: rows) { row in
            [row.originalID.wireForm] + (row.offer.map { ["\($0.kind)", $0.id ?? ""] } ?? [])
        }
        return uses.values.compactMap(Self.usedOffer).sorted { left, right in
            (left.firstUseDate, left.originalTransactionId, left.offerType.rawValue, left.offerIdentifier ?? "")
                < (
                    right.firstUseDate, right.originalTransactionId, right.offerType.rawValue,
                    right.offerIdentifier ?? ""
                )
        }
    }

    /// An offer from the transactions with it, earliest first.
    private static func usedOffer(_ rows: [Transaction]) -> UsedOfferInfo? {
        guard let first = rows.first, let last = rows.last, let offer = first.offer else { return nil }
        return UsedOfferInfo(
            offerType: offer.kind,
            offerIdentifier: offer.id,
            offerDiscountType: offer.mode,
            productId: first.productID,
            originalTransactionId: first.shownOriginalID,
            firstUseDate: first.purchaseDate,
            lastUseDate: last.purchaseDate,
            transactions: rows.count
        )
    }

    private func listTransactions(_ call: ControlCall<ListTransactions>) async throws -> LedgerEntryList {
        let account = try await call.account()
        var query = HistoryQuery(account: account.id, isAscending: false, limit: call.limit ?? 50)
        query.position = try ControlError.position(call.after)?[0]
        if let position = query.position, position < 1 { throw ControlError.badPage }
        let page = try await shop.storage.history(query)
        let available = availableActions(of: account)
        return LedgerEntryList(
            transactions: page.rows.map { LedgerEntryInfo($0, availableActions: available.actions(on: $0)) },
            next: page.hasMore ? page.rows.last.map { String($0.change) } : nil
        )
    }
}

extension LedgerEntryInfo {
    init(_ row: Transaction, availableActions: [CustomerAction]) {
        self.init(
            transactionId: row.shownID,
            originalTransactionId: row.shownOriginalID,
            productId: row.productID,
            type: row.type.wireType,
            subscriptionGroupIdentifier: row.groupID,
            transactionReason: row.reason,
            inAppOwnershipType: row.ownership,
            purchaseDate: row.purchaseDate,
            expiresDate: row.expiresDate,
            quantity: row.quantity,
            price: row.price?.milliunits,
            currency: row.price?.currency,
            storefront: row.storefront,
            orderId: row.shownOrderID,
            offerType: row.offer?.kind,
            offerIdentifier: row.offer?.id,
            offerDiscountType: row.offer?.mode,
            revocationDate: row.revocation?.date,
            revocationType: row.revocation?.kind,
            revocationPercentage: row.revocation?.percentage,
            isUpgraded: row.isUpgraded,
            isFinished: row.isFinished,
            availableActions: availableActions
        )
    }
}
