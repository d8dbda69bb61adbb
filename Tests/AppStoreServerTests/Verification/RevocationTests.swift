import Foundation
import Synchronization
import Testing
import TillSigning

@testable import AppStoreServer

@Suite("Online checks ask whether certificates were revoked")
struct RevocationTests {
    /// Till's OCSP responder as a transport.
    private final class Responder: AppStoreTransport {
        let responder: OCSPResponder
        let state: Mutex<OCSPState>
        let requests = Mutex(0)

        init(_ samples: SignedSamples, _ state: OCSPState) throws {
            var responder = try OCSPResponder(root: samples.root)
            try responder.add(samples.chain)
            self.responder = responder
            self.state = Mutex(state)
        }

        func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
            requests.withLock { $0 += 1 }
            let state = state.withLock { $0 }
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            #expect(request.method == "POST" && request.url == "http://localhost:8888/ocsp")
            switch responder.reply(to: request.body ?? [], at: now, state: { _ in state }).content {
            case .answer(let bytes): return TransportResponse(status: 200, body: bytes)
            case .serverError: return TransportResponse(status: 500)
            case .silence: throw TransportFailure(cause: "closed", mayHaveArrived: true)
            }
        }
    }

    private func verify(
        _ samples: SignedSamples,
        _ verifier: SignedDataVerifier,
        on date: Int64 = SignedSamples.date
    ) async throws -> VerificationFailure.Reason? {
        let signed = SignedTransaction(try samples.chain.sign(SignedSamples.transaction(on: date)))
        do throws(VerificationFailure) {
            _ = try await verifier.verify(signed)
            return nil
        } catch {
            #expect(error.canRetry == (error.reason == .revocationUnknown))
            return error.reason
        }
    }

    @Test(
        "Only a good answer is enough",
        arguments: [
            (OCSPState.good, nil), (.slow(milliseconds: 1), nil), (.revoked(at: 0, reason: .keyCompromise), .revoked),
            (.unknown, .revoked), (.stale, .revoked), (.error(.unauthorized), .revoked), (.error(.tryLater), .revoked),
            (.error(.http500), .revocationUnknown), (.dead, VerificationFailure.Reason.revocationUnknown),
        ]
    )
    func states(state: OCSPState, expected: VerificationFailure.Reason?) async throws {
        let samples = try SignedSamples()
        let responder = try Responder(samples, state)
        let verifier = try samples.verifier(
            .sandbox(bundleID: SignedSamples.bundleID),
            .online(transport: responder)
        )
        #expect(try await verify(samples, verifier) == expected)
    }

    @Test("A good answer counts for 15 minutes, and is asked again after that; a bad one does not count")
    func cached() async throws {
        let samples = try SignedSamples()
        let responder = try Responder(samples, .good)
        let time = TestTime()
        let app = ExpectedApp.sandbox(bundleID: SignedSamples.bundleID)
        let verifier = try samples.verifier(app, .online(transport: responder), time: time)
        #expect(try await verify(samples, verifier) == nil)
        time.pass(.seconds(899))
        responder.state.withLock { $0 = .dead }
        // The date of the data does not count, because certificates must be valid now.
        #expect(try await verify(samples, verifier, on: 0) == nil)
        #expect(responder.requests.withLock { $0 } == 2)
        time.pass(.seconds(1))
        #expect(try await verify(samples, verifier) == .revocationUnknown)
        responder.state.withLock { $0 = .good }
        #expect(try await verify(samples, verifier) == nil)
        #expect(responder.requests.withLock { $0 } == 5)
    }

    @Test("Nobody is asked about a chain that is not trusted")
    func untrusted() async throws {
        let samples = try SignedSamples()
        let responder = try Responder(samples, .good)
        let other = try SignedSamples()
        let app = ExpectedApp.sandbox(bundleID: SignedSamples.bundleID)
        #expect(try await verify(other, samples.verifier(app, .online(transport: responder))) == .chain)
        #expect(responder.requests.withLock { $0 } == 0)
    }
}
