import Foundation
import SwiftASN1
import Testing
import X509

@testable import TillSigning

/// Checks the OCSP responder with the verifier in Apple's Swift library.
@Suite("Apple's Swift library with the OCSP responder")
struct OCSPPolicyTests {
    /// Sends the verifier's requests to a responder.
    private struct Carrier: OCSPRequester {
        let responder: OCSPResponder
        let state: OCSPState

        func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            guard case .answer(let bytes) = responder.reply(to: request, at: now, state: { _ in state }).content else {
                return .terminalError(Cut())
            }
            return .response(bytes)
        }
    }

    private struct Cut: Error {}

    @Test(
        "Apple's verifier accepts a good answer and rejects all others",
        arguments: [
            (OCSPState.good, true), (.slow(milliseconds: 1), true), (.revoked(at: 0, reason: .keyCompromise), false),
            (.unknown, false), (.stale, false), (.error(.tryLater), false), (.error(.unauthorized), false),
            (.dead, false),
        ]
    )
    func verified(state: OCSPState, isAccepted: Bool) async throws {
        let root = try RootAuthority.make()
        let chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
        var responder = try OCSPResponder(root: root)
        try responder.add(chain)
        let carrier = Carrier(responder: responder, state: state)
        var verifier = Verifier(rootCertificates: CertificateStore([root.certificate])) {
            RFC5280Policy()
            OCSPVerifierPolicy(failureMode: .hard, requester: carrier)
        }
        let result = await verifier.validate(
            leaf: chain.leaf,
            intermediates: CertificateStore([chain.intermediate])
        )
        if case .validCertificate = result {
            #expect(isAccepted)
        } else {
            #expect(!isAccepted, "\(result)")
        }
    }
}
