import Testing
import TillControl
import TillCore
import TillRuntime
import TillShop
import TillStorage

@testable import AppStoreServer

/// A walk through a long history, while requests fail and the server restarts.
@Suite("A walk of many pages", .timeLimit(.minutes(10)))
struct LiveWalkTests {
    /// On 500 pages.
    private static let count = 10_000

    @Test("A restart and 5 % of failed requests neither lose nor double a transaction")
    func walk() async throws {
        let server = try await LiveServer()
        let ids = try await server.fill(Self.count)
        let faults = [(.error, 2, 5_000_001), (.cut, 2, nil), (.half, 1, nil)] as [(FaultKind, Int, Int?)]
        for (kind, percent, code) in faults {
            let fault = AddFault(kind: kind, route: "getTransactionHistory", percent: percent, code: code, seed: 7)
            _ = try await server.control.send(fault)
        }
        var pages = server.client().transactions(of: ids[0]).pages.makeAsyncIterator()
        var (found, count): ([String], Int) = ([], 0)
        var restart: Task<Void, any Error>?
        var hits = [0, 0, 0]
        while true {
            do {
                guard let page = try await pages.next() else { break }
                found += try page.signedTransactions.map { try $0.unverifiedPayload().transactionId }
                count += 1
                guard count == Self.count / 40 else { continue }
                hits = try await server.control.send(ListFaults()).map(\.struck)
                try await server.stop()
                restart = Task { try await server.startAgain() }
            } catch let error as AppStoreServerError where error.canRetry {
                // As a backend would, the walk goes on with the same iterator.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await #require(restart).value
        #expect(found == ids && count == Self.count / 20)
        // The counters begin at the restart.
        hits = zip(hits, try await server.control.send(ListFaults()).map(\.struck)).map(+)
        #expect(hits.allSatisfy { $0 > 0 }, "\(hits)")
        let later = try await server.client().transactionHistory(of: ids[0], revision: pages.position)
        #expect(later.signedTransactions.isEmpty && !later.hasMore)
        try await server.stop()
    }
}

extension LiveServer {
    /// Gives a customer many purchases: one is made, and its row is copied with new ids.
    ///
    /// - Returns: the ids of the transactions, in the order of the history.
    fileprivate func fill(_ count: Int) async throws -> [String] {
        let first = try await buy("coins")
        let storage = runtime.shop.storage
        let made = try #require(try await storage.transaction(TransactionID(Int64(first) ?? 0)))
        var account = try #require(try await storage.account(made.account))
        let before = account.version
        let copies = (1..<Int64(count)).map { number in
            var copy = made
            copy.id = TransactionID(made.id.number + number * 1_024)
            copy.originalID = copy.id
            copy.change = account.changeNumber + number
            return TransactionChange(before: nil, after: copy)
        }
        account.version += 1
        account.changeNumber += Int64(copies.count)
        account.rowCount += Int64(copies.count)
        let change = Change(accounts: [AccountChange(account: account, before: before)], rows: copies)
        for result in await storage.commit([change]) { try result.get() }
        return [first] + copies.map { String($0.after.id.number) }
    }
}
