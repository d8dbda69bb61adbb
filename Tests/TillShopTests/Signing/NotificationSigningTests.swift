import Foundation
import Logging
import Testing
import TillCore
import TillPostgres
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("The signing of notifications")
struct NotificationSigningTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    private func notifications(_ shop: Shop) async throws -> [OutboxEntry] {
        try await shop.storage.notifications(NotificationQuery(scope: Self.scope, limit: 100))
    }

    /// A shop without an endpoint, in which this number of customers bought.
    private func shop(on engine: TestEngine = .sqlite, purchases: Int = 2) async throws -> TestShop {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        for number in 0..<purchases { try await test.buy("pro", by: "customer-\(number)") }
        return test
    }

    /// Whether the notification and its two signed parts have valid signatures of this Till.
    private func isValid(_ payload: String, _ shop: Shop) async -> Bool {
        let parts = await TextDecoding.parts(of: payload, shop).parts
        return parts.count == 3 && parts.allSatisfy { $0.verdict?.signer == .thisTill }
    }

    @Test(
        "Without an endpoint, a notification is unsigned until it is read, and then keeps its bytes",
        arguments: TestEngine.allCases
    )
    func untilRead(_ engine: TestEngine) async throws {
        let test = try await shop(on: engine, purchases: 5)
        let made = try await notifications(test.shop)
        #expect(made.count == 5 && made.allSatisfy(\.content.isUnsigned))
        #expect(try await test.shop.storage.documents(.chain).isEmpty)
        let payloads = try await test.signedPayloads(made)
        for payload in payloads { #expect(await isValid(payload, test.shop)) }
        let stored = try await notifications(test.shop)
        #expect(stored.map(\.content.signed?.chain) == made.map { _ in test.shop.signingChain.id })
        // A reader that loaded the notifications before another reader signed them gets the same bytes.
        #expect(try await test.signedPayloads(made) == payloads)
        #expect(try await test.signedPayloads(stored) == payloads)
        #expect(try await test.shop.storage.examine().isEmpty)
        #expect(try await test.shop.storage.documents(.chain).count == 1)
    }

    @Test("An endpoint that is set later receives the bytes that the history has shown, at every resend")
    func laterEndpoint() async throws {
        let test = try await shop()
        _ = try await test.shop.setClock(ClockName(Self.scope), .freeze(at: nil))
        let made = try await notifications(test.shop)
        let shown = try await test.signedPayload(made[0])
        let post = try await WebhookReceiver.start { _ in .status(200) }
        try await test.shop.setup.updateRules(of: Self.scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        let worker = try test.startSending()
        for _ in 1...2 {
            for entry in made { _ = try await test.shop.resend(entry) }
            let (_, deliveries) = try await test.advanceAndSettle(ClockName(Self.scope), .by(milliseconds: 1))
            #expect(deliveries.pending.allSatisfy { $0.due == nil })
        }
        let received = try await post.requests(atLeast: 4).map { String(decoding: $0.body, as: UTF8.self) }
        let sent = try await test.signedPayloads(try await notifications(test.shop))
        #expect(sent[0] == shown && received.count == 4)
        #expect(Set(received) == Set(sent.map { #"{"signedPayload":"\#($0)"}"# }))
        // A notification that an endpoint waits for is signed in the commit of its event.
        try await test.buy("coins", by: "later")
        #expect(try await notifications(test.shop).last?.content.signed != nil)
        await test.stopSending(worker)
        try await post.stop()
    }

    @Test("After a rotation, the new chain signs what was unsigned, and is no younger than it")
    func rotation() async throws {
        let test = try await shop()
        let made = try await notifications(test.shop)
        let first = try await test.signedPayload(made[0])
        let old = test.shop.signingChain
        let new = try await test.shop.keys.rotate(
            in: CertificateStore(test.directory),
            ocspURL: "http://localhost:8888/ocsp"
        )
        let payloads = try await test.signedPayloads(made)
        #expect(payloads[0] == first)
        #expect(try await notifications(test.shop).map(\.content.signed?.chain) == [old.id, new.id])
        #expect(await isValid(payloads[1], test.shop))
        #expect(new.problems(at: made[1].signedDate.milliseconds).isEmpty)
    }

    @Test("Readers and nodes that look at the same moment get the same bytes", arguments: TestEngine.allCases)
    func atOnce(_ engine: TestEngine) async throws {
        let test = try await shop(on: engine, purchases: 40)
        var shops = [test.shop]
        if let url = test.databaseURL {
            let certificates = CertificateStore(test.directory)
            let chain = try certificates.rotate(under: try certificates.root(), ocspURL: "http://localhost:8888/ocsp")
            let storage = try PostgresStorage(DatabaseURL(url))
            let wallClock = test.shop.wallClock
            shops.append(
                try await Shop(storage: storage, chain: chain, logger: test.log.logger(from: .error)) { wallClock() }
            )
            // A node stores the document of its chain when it starts, and the others follow.
            for shop in shops {
                try await shop.storage.put([shop.keys.chains.document(of: shop.signingChain)].compactMap(\.self))
            }
            for shop in shops { try await shop.keys.chains.follow(shop.storage) }
        }
        let made = try await notifications(test.shop)
        let read = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for reader in 0..<4 {
                let shop = shops[reader % shops.count]
                // The readers begin at different notifications, so that each signs some of them first.
                let order = Array(made[(reader * 10)...] + made[..<(reader * 10)])
                group.addTask {
                    var payloads: [[UInt8]] = []
                    for page in stride(from: 0, to: order.count, by: 5) {
                        let signed = try await shop.signed(Array(order[page..<page + 5]))
                        payloads += try signed.map { try shop.signedPayload($0) }
                    }
                    return payloads
                }
            }
            return try await group.reduce(into: [[[UInt8]]]()) { $0.append($1) }
        }
        #expect(read.map(\.count) == [40, 40, 40, 40])
        #expect(Set(read.joined()).count == 40)
        let stored = try await notifications(test.shop)
        #expect(Set(try await test.signedPayloads(stored).map { Array($0.utf8) }) == Set(read.joined()))
    }

    @Test("A notification that is erased while it is read is left out")
    func erased() async throws {
        let test = try await shop()
        let made = try await notifications(test.shop)
        _ = try await test.shop.eraseCustomer(test.customer("customer-0"))
        #expect(try await test.shop.signed(made).map(\.entry.uuid) == [made[1].uuid])
        #expect(try await test.shop.signedPayload(made[0]) == nil)
    }

    @Test("A snapshot keeps a notification unsigned, and a restored one can be signed")
    func restored() async throws {
        let test = try await shop()
        let made = try await notifications(test.shop)
        _ = try await test.shop.snapshots.save("unsigned", of: nil)
        _ = try await test.signedPayloads(made)
        _ = try await test.shop.restoreSnapshot("unsigned")
        let restored = try await notifications(test.shop)
        #expect(restored.map(\.content) == made.map(\.content))
        for payload in try await test.signedPayloads(restored) { #expect(await isValid(payload, test.shop)) }
        #expect(try await test.shop.storage.examine().isEmpty)
    }
}
