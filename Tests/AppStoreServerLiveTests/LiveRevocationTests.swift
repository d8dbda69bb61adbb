import AppStoreServer
import Testing
import TillControl

/// The OCSP responder of a real server decides on its signed data as docs/client/index.md describes it.
@Suite("Online checks with a real server", .timeLimit(.minutes(5)))
struct LiveRevocationTests {
    @Test("Data whose leaf or intermediate was revoked is refused, and is valid again after a good answer")
    func revoked() async throws {
        try await LiveServer.run { server in
            let id = try await server.buy()
            // The first chain was issued before the server had a port, so its OCSP URL has the default port.
            let authority = try await server.control.send(RotateChain())
            let root = Array(authority.rootCertificate.utf8)
            let signed = try await server.client().transactionInfo(id).signedTransactionInfo

            // Each verifier has new roots, with which it would know for 15 minutes that the certificates are good.
            func refusal() async throws -> VerificationFailure.Reason? {
                let roots = try TrustedRoots([root])
                let app = ExpectedApp.sandbox(bundleID: LiveServer.app.bundleId)
                let verifier = SignedDataVerifier(roots: roots, app: app, revocation: .online())
                do throws(VerificationFailure) {
                    #expect(try await verifier.verify(signed).payload.transactionId == id)
                    return nil
                } catch {
                    return error.reason
                }
            }

            #expect(try await refusal() == nil)
            let good = SetRevocation(certificate: "all", state: .good)
            let cases: [(SetRevocation, VerificationFailure.Reason)] = [
                (SetRevocation(certificate: "leaf", state: .revoked, reason: .keyCompromise), .revoked),
                (SetRevocation(certificate: "intermediate", state: .revoked), .revoked),
                (SetRevocation(certificate: "leaf", state: .unknown), .revoked),
                (SetRevocation(certificate: "leaf", state: .stale), .revoked),
                (SetRevocation(certificate: "intermediate", state: .dead), .revocationUnknown),
                (SetRevocation(certificate: "leaf", state: .error, error: .http500), .revocationUnknown),
            ]
            for (change, expected) in cases {
                _ = try await server.control.send(change)
                #expect(try await refusal() == expected, "\(change)")
                _ = try await server.control.send(good)
            }
            #expect(try await refusal() == nil)
        }
    }
}
