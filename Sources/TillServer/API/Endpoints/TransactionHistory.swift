import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// The endpoint Get Transaction History, version 2 and version 1 (docs/api/history.md).
extension AppleAPI {
    var transactionHistory: [Endpoint] {
        [
            Endpoint(.get, "/inApps/v2/history/{id}", appErrors: .documented) { try await history($0, .historyV2) },
            Endpoint(.get, "/inApps/v1/history/{id}", appErrors: .documented) { try await history($0, .historyV1) },
        ]
    }

    private static let pageSize = 20

    private func history(_ exchange: Exchange, _ route: Cursor.Route) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        var filter = try Self.filter(exchange.query)
        let digest = filter.digest
        filter.leavesOutFinishedConsumables = route == .historyV1
        let isAscending = try Self.isAscending(exchange.query)
        let revision = try exchange.query.value("revision", orThrow: .invalidRequestRevision)
        let restoreEpoch = shop.restoreEpoch(of: exchange.scope.app)
        func cursor(_ account: AccountID, at position: Int64 = 0) -> Cursor {
            Cursor(
                route: route,
                account: account,
                isAscending: isAscending,
                filters: digest,
                position: position,
                restoreEpoch: restoreEpoch
            )
        }
        let page = try await page(number, exchange, restoreEpoch) { account in
            HistoryQuery(
                account: account,
                position: try revision.flatMap { try resume($0, expecting: cursor(account)) },
                isAscending: isAscending,
                filter: filter,
                limit: Self.pageSize
            )
        }
        let texts = try await signed(page, exchange)
        var json = JSONWriter(capacity: 512)
        json.put("revision", page.revision { shop.cursors.seal(cursor(page.query.account, at: page.end)) })
        json.put("bundleId", exchange.caller.app.bundleID)
        json.put("appAppleId", exchange.caller.app.appleID)
        json.put("environment", environment.wireName)
        json.put("hasMore", page.content.hasMore)
        return .json(&json, ending: "signedTransactions", texts)
    }

    /// Finds the page for a transaction id or an app transaction id.
    private func page(
        _ number: Int64,
        _ exchange: Exchange,
        _ restoreEpoch: Int64,
        _ query: (AccountID) throws -> HistoryQuery
    ) async throws -> KeptHistoryPage {
        // A page from which a fault hides purchases is not kept.
        let isKept = exchange.readGap == nil
        if isKept, let page = try await kept(number, exchange, restoreEpoch, query) { return page }
        let (account, own) = try await owner(of: number, in: exchange.scope, orThrow: .transactionIDNotFound)
        if isKept, own != number, let page = try await kept(own, exchange, restoreEpoch, query) { return page }
        let query = try query(account)
        var page = try await shop.storage.history(query)
        if exchange.readGap != nil { hideRecentRows(of: &page, query.isAscending, from: query.position, exchange) }
        return KeptHistoryPage(page, of: query)
    }

    /// The kept page for a transaction id; nil for an app transaction id, and for an unknown id.
    private func kept(
        _ number: Int64,
        _ exchange: Exchange,
        _ restoreEpoch: Int64,
        _ query: (AccountID) throws -> HistoryQuery
    ) async throws -> KeptHistoryPage? {
        guard !AccountID.hasShape(number) else { return nil }
        return try await shop.historyPage(
            of: TransactionID(number),
            in: exchange.scope,
            restoreEpoch: restoreEpoch,
            query
        )
    }

    /// Removes the purchases that a `staleReads` fault hides. The cursor must stop before the first hidden purchase, or
    /// the client would never see it.
    private func hideRecentRows(
        of page: inout HistoryPage,
        _ isAscending: Bool,
        from position: Int64?,
        _ exchange: Exchange
    ) {
        guard isAscending else {
            page.rows.removeAll { isHidden($0.id, exchange) }
            return
        }
        let seen = page.rows.prefix { !isHidden($0.id, exchange) }
        guard seen.count < page.rows.count else { return }
        page.rows = Array(seen)
        page.hasMore = false
        page.head = seen.last?.change ?? position ?? 0
    }

    /// Returns the position of a revision from an earlier answer; nil starts from the beginning, because the server was
    /// restored since that answer.
    func resume(_ text: String, expecting cursor: Cursor) throws -> Int64? {
        guard let opened: Cursor = shop.cursors.open(text) else {
            throw APIError.invalidRequestRevision.because("This server did not issue the revision.")
        }
        guard opened.account == cursor.account else {
            throw APIError.invalidRequestRevision.because("The revision belongs to another customer.")
        }
        guard opened.route == cursor.route else {
            throw APIError.invalidRequestRevision.because("The revision is from another route.")
        }
        guard opened.isAscending == cursor.isAscending, opened.filters == cursor.filters else {
            throw APIError.invalidRequestRevision.because(
                "The revision is from a call with other parameters. Repeat the parameters of that call."
            )
        }
        return opened.restoreEpoch == cursor.restoreEpoch ? opened.position : nil
    }

    /// Signs transactions of one customer, at the time on the customer's clock.
    func signed(_ rows: [Transaction], _ exchange: Exchange) async throws -> [SignedText] {
        try shop.signed(rows, in: exchange.scope, at: try await now(of: rows, exchange))
    }

    private func signed(_ page: KeptHistoryPage, _ exchange: Exchange) async throws -> [SignedText] {
        try shop.signed(page, in: exchange.scope, at: try await now(of: page.content.rows, exchange))
    }

    /// The time on the customer's clock.
    private func now(of rows: [Transaction], _ exchange: Exchange) async throws -> Timestamp {
        // The account is read only to find the customer's clock. Without customer clocks the read is not necessary.
        if let row = rows.first, !shop.clocks.own(in: exchange.scope).isEmpty,
            let account = try await shop.storage.account(row.account)
        {
            return shop.now(of: account)
        }
        return exchange.now
    }

    // MARK: Parameters

    private static func isAscending(_ query: Query) throws -> Bool {
        switch try query.value("sort", orThrow: .invalidSort) {
        case nil, "ASCENDING"?: true
        case "DESCENDING"?: false
        case let other?:
            throw APIError.invalidSort.because("sort is \"\(other.prefix(64))\"; it must be ASCENDING or DESCENDING.")
        }
    }

    private static func filter(_ query: Query) throws -> HistoryFilter {
        var filter = HistoryFilter()
        filter.startDate = try date("startDate", query, .invalidStartDate)
        filter.endDate = try date("endDate", query, .invalidEndDate)
        if let start = filter.startDate, let end = filter.endDate, start >= end {
            throw APIError.invalidStartDate.because("startDate must be earlier than endDate.")
        }
        filter.productIDs = try names("productId", query, .invalidProductID)
        filter.productTypes = Set(
            try query.values("productType").map { text in
                guard let type = ProductKind.allCases.first(where: { $0.queryName == text }) else {
                    let known = ProductKind.allCases.map(\.queryName).joined(separator: ", ")
                    throw APIError.invalidProductType.because(
                        "productType is \"\(text.prefix(64))\"; it must be one of \(known)."
                    )
                }
                return type
            }
        )
        filter.ownership = try query.value("inAppOwnershipType", orThrow: .invalidInAppOwnershipType).map { text in
            guard let ownership = InAppOwnershipType(rawValue: text) else {
                throw APIError.invalidInAppOwnershipType.because(
                    "inAppOwnershipType is \"\(text.prefix(64))\"; it must be PURCHASED or FAMILY_SHARED."
                )
            }
            return ownership
        }
        filter.groups = try names("subscriptionGroupIdentifier", query, .invalidSubscriptionGroupIdentifier)
        filter.revoked = try flag("revoked", query)
        if filter.revoked == nil, try flag("excludeRevoked", query) == true { filter.revoked = false }
        return filter
    }

    /// Reads a date of the query: milliseconds since 1970, as digits.
    private static func date(_ name: String, _ query: Query, _ error: APIError) throws -> Timestamp? {
        guard let text = try query.value(name, orThrow: error) else { return nil }
        guard
            (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else {
            throw error.because("\(name) is \"\(text.prefix(64))\"; it must be milliseconds since 1970, as digits.")
        }
        return Timestamp(milliseconds: number)
    }

    private static func names(_ name: String, _ query: Query, _ error: APIError) throws -> Set<String> {
        let values = Set(query.values(name))
        guard values.count <= 100 else { throw error.because("\(name) occurs \(values.count) times; at most 100.") }
        guard values.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
            throw error.because("\(name) must be 1 to 255 bytes long.")
        }
        return values
    }

    /// Reads a boolean of the query. Upper and lower case are accepted, because clients differ.
    private static func flag(_ name: String, _ query: Query) throws -> Bool? {
        switch try query.value(name, orThrow: .invalidRevoked)?.lowercased() {
        case nil: nil
        case "true"?: true
        case "false"?: false
        case let other?:
            throw APIError.invalidRevoked.because("\(name) is \"\(other.prefix(64))\"; it must be true or false.")
        }
    }
}
