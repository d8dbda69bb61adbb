import HTTPTypes
import Testing
import TillControl
import TillJSON
import TillTestSupport

/// Checks the operation that sets what the OCSP responder says. The responder itself is tested with Apple's verifier and
/// openssl in Tests/Python/network/test_ocsp.py.
@Suite("Revocation states, through the control API")
struct RevocationControlTests {
    @Test("A state takes only the details that belong to it, and needs a known certificate and chain")
    func invalid() async throws {
        try await TypedControl.run { control in
            let lost = try await control.ask(.put, "/v1/ca/ocsp/leaf", #"{"state":"lost"}"#)
            #expect(lost.status == 400 && lost.code == "bad_request", "\(lost)")
            for (request, status, code) in [
                (SetRevocation(certificate: "leaf", state: .slow, delay: 120_001), 400, "bad_request"),
                (SetRevocation(certificate: "leaf", state: .good, reason: .superseded), 400, "bad_state"),
                (SetRevocation(certificate: "leaf", state: .revoked, delay: 1), 400, "bad_state"),
                (SetRevocation(certificate: "leaf", state: .slow, error: .tryLater), 400, "bad_state"),
                (SetRevocation(certificate: "root", state: .good), 404, "unknown_certificate"),
                (SetRevocation(certificate: "leaf", state: .good, chainId: "0123"), 404, "unknown_chain"),
            ] {
                try await control.expectRefusal(status, code, of: request)
            }
            #expect(try await control.send(GetRevocation()).allSatisfy { $0.state == .good })
        }
    }

    @Test("A serial number is accepted in any notation")
    func serialNumbers() async throws {
        try await TypedControl.run { control in
            let all = try await control.send(GetRevocation())
            let leaf = try #require(all.first { $0.certificate == .leaf })
            let digits = String(repeating: "0", count: max(0, 40 - leaf.serialNumber.count)) + leaf.serialNumber
            let pairs = stride(from: 0, to: digits.count, by: 2).map { digits.dropFirst($0).prefix(2) }
            for name in [digits.uppercased(), digits.lowercased(), pairs.joined(separator: ":")] {
                let set = try await control.send(SetRevocation(certificate: name, state: .slow, delay: 1))
                #expect(set.map(\.serialNumber) == [leaf.serialNumber], "\(name)")
                #expect(set.map(\.certificate) == [.leaf] && set.map(\.delay) == [1])
            }
        }
    }
}

/// Checks the operations on control API tokens. What a token permits is tested in ScopeTests.
@Suite("Control API tokens, through the control API")
struct TokenControlTests {
    @Test("Tokens are created, listed and revoked, and a name is used once")
    func tokens() async throws {
        try await TypedControl.run { control in
            let made = try await control.send(CreateToken(name: "made"))
            let secret = try #require(made.token)
            #expect(made.name == "made" && secret.count == 48 && secret.hasPrefix("till_"))
            let listed = try await control.send(ListTokens())
            #expect(listed.map(\.name) == ["made"] && listed.map(\.scope) == [.operate])
            #expect(listed.map(\.createdDate) == [made.createdDate] && listed.map(\.token) == [nil])
            try await control.expectRefusal(409, "token_exists", of: CreateToken(name: "made"))
            try await control.expectRefusal(400, "bad_name", of: CreateToken(name: "with space"))
            _ = try await control.send(RevokeToken(tokenName: "made"))
            try await control.expectRefusal(404, "unknown_token", of: RevokeToken(tokenName: "made"))
        }
    }
}
