import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing
import TillSigning

@testable import AppStoreServer

@Suite("The notification handler verifies bodies, and recognizes what it handled")
struct NotificationHandlerTests {
    private struct Broken: Error {}

    private let samples: SignedSamples
    private let handler: NotificationHandler

    init() throws {
        samples = try SignedSamples()
        handler = NotificationHandler(verifier: try samples.verifier())
    }

    @Test("A notification is handled once, and its repetition is recognized")
    func repeated() async throws {
        let calls = Mutex(0)
        for isRepeated in [false, true, true] {
            let outcome = try await handler.handle(samples.renewal(id: "a").body) { received in
                calls.withLock { $0 += 1 }
                #expect(received.notification.payload.notificationUUID == "a" && !received.isOutdated)
            }
            #expect(outcome.isRepeated == isRepeated && outcome.notification.originalTransactionId == "1")
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("A notification that a reconciler found is verified, and is the same as one that arrived")
    func reconciled() async throws {
        let found = try samples.renewal(id: "a")
        #expect(try await handler.handle(found.signed) { _ in }.isRepeated == false)
        #expect(try await handler.handle(found.body) { _ in }.isRepeated)
        let older = try await handler.handle(samples.renewal(id: "b", on: SignedSamples.date - 1).signed) { _ in }
        #expect(older.isOutdated)
        let forged = try SignedSamples().renewal(id: "c").signed
        await #expect(throws: VerificationFailure.self) {
            try await handler.handle(forged) { _ in Issue.record("applied") }
        }
    }

    @Test("A notification that could not be applied is handled again")
    func failed() async throws {
        let body = try samples.renewal(id: "a").body
        await #expect(throws: Broken.self) { try await handler.handle(body) { _ in throw Broken() } }
        #expect(try await handler.handle(body) { _ in }.isRepeated == false)
    }

    @Test("A notification that is older than the last one about its original transaction is outdated")
    func order() async throws {
        let date = SignedSamples.date
        for (id, date, isOutdated) in [
            ("b", date, false), ("a", date - 1, true), ("c", date, false), ("d", date + 1, false),
        ] {
            let body = try samples.renewal(id: id, on: date).body
            let outcome = try await handler.handle(body) { #expect($0.isOutdated == isOutdated) }
            #expect(outcome.isOutdated == isOutdated, "\(id)")
        }
    }

    @Test("Other bodies are refused, and nothing is applied")
    func bodies() async throws {
        let other = try SignedSamples().renewal().body
        for body in [
            [], Array("[]".utf8), Array(#"{"signedPayload":7}"#.utf8), Array(#"{"notification_type":"X"}"#.utf8),
            [UInt8](repeating: 0x20, count: NotificationHandler.maxBytes + 1), other,
        ] {
            await #expect(throws: VerificationFailure.self) {
                try await handler.handle(body) { _ in Issue.record("applied") }
            }
        }
    }

    @Test("The memory is limited, and keeps the newest date")
    func memory() async {
        let memory = HandledNotificationsInMemory(limit: 4)
        let dates = [3, 1, 2].map { Timestamp(milliseconds: $0) }
        for (index, date) in dates.enumerated() { await memory.insert("\(index)", about: "1", signedOn: date) }
        #expect(await memory.newestDate(of: "1") == dates[0])
        for index in 0..<100 { await memory.insert("n\(index)", about: "t\(index)", signedOn: dates[0]) }
        #expect(await memory.contains("n99"))
        #expect(await !memory.contains("0"))
        #expect(await memory.newestDate(of: "1") == nil)
        #expect(await memory.newestDate(of: "t99") == dates[0])
    }

    @Test("The server of the page answers 200 to a notification and its repetition, and 400 to a forgery")
    func server() async throws {
        let app = Application(router: DocumentedServer.router(handler))
        let (good, forged) = (try samples.renewal().body, try SignedSamples().renewal().body)
        try await app.test(.router) { client in
            for (body, status) in [(good, HTTPResponse.Status.ok), (good, .ok), (forged, .badRequest)] {
                try await client.execute(
                    uri: "/apple/notifications",
                    method: .post,
                    body: ByteBuffer(bytes: body)
                ) { #expect($0.status == status) }
            }
        }
    }
}
