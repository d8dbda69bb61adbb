import Foundation
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Verifies the certificate chains of signed data against trusted roots, as Apple's libraries do.
///
/// Chains under a trusted root are kept, because the same few chains sign everything: their dates are compared each
/// time, and an answer about revocation counts for a quarter of an hour. Nothing that a stranger can make is kept.
package final class ChainVerifier: Sendable {
    /// Sends an OCSP request to a URL and returns the answer.
    package typealias Fetch = @Sendable (_ request: [UInt8], _ url: String) async throws -> [UInt8]

    /// The number of chains that are kept. Apple uses one or two at a time.
    static let maxChains = 32
    /// How long a chain counts as not revoked, in milliseconds.
    static let confirmation: Int64 = 15 * 60_000
    /// The end of the year 9999, in milliseconds since 1970.
    private static let lastInstant: Int64 = 253_402_300_799_999

    /// A chain under a trusted root.
    private struct Trusted: Sendable {
        let key: VerificationKey
        /// The leaf, the intermediate, and the trusted root.
        let certificates: [Certificate]
        /// The dates at which all three certificates are valid, in milliseconds since 1970.
        let validity: ClosedRange<Int64>
        /// Until when the chain counts as not revoked.
        var confirmedUntil = Int64.min
    }

    private let roots: CertificateStore
    private let known = Mutex(TwoGenerationCache<[[UInt8]], Trusted>(limit: maxChains))

    /// A verifier that trusts these roots.
    ///
    /// - Throws: ``SigningError`` if a root cannot be read.
    package init(rootsDER: [[UInt8]]) throws(SigningError) {
        let roots = try SigningError.wrapping(.unreadable, .root, "cannot be read") {
            try rootsDER.map { try Certificate(derEncoded: $0) }
        }
        self.roots = CertificateStore(roots)
    }

    /// The key of the leaf of a chain that is valid at an instant.
    ///
    /// - Parameters:
    ///   - certificates: the leaf, the intermediate and the root, as DER. The root is not used: only roots of the
    ///     caller are trusted.
    ///   - instant: milliseconds since 1970.
    ///   - fetch: sends the OCSP requests for the leaf and the intermediate; nil for no check of their revocation. Such
    ///     a check is always about the present, so `instant` must be the present, too.
    package func key(
        of certificates: [[UInt8]],
        validAt instant: Int64,
        revocation fetch: Fetch? = nil
    ) async throws(ChainRefusal) -> VerificationKey {
        guard certificates.count == 3 else { throw .count(certificates.count) }
        // The third certificate is not verified, so anybody can replace it.
        let pair = Array(certificates.prefix(2))
        var chain = known.withLock { $0.value(of: pair) }
        // Certificates have whole seconds of four-digit years: one is valid until the end of its last second.
        let second = min(max(instant, 0), Self.lastInstant) / 1_000 * 1_000
        if chain?.validity.contains(second) != true { chain = nil }
        var trusted: Trusted
        if let chain { trusted = chain } else { trusted = try await prove(certificates, at: second) }
        if let fetch, trusted.confirmedUntil <= instant {
            try await Self.confirm(trusted, at: second, fetch)
            trusted.confirmedUntil = instant + Self.confirmation
        }
        known.withLock { [trusted] in $0.keep(trusted, of: pair) }
        return trusted.key
    }

    // MARK: The chain

    private func prove(_ certificates: [[UInt8]], at instant: Int64) async throws(ChainRefusal) -> Trusted {
        guard let leaf = try? Certificate(derEncoded: certificates[0]) else { throw .unreadable(.leaf) }
        guard let intermediate = try? Certificate(derEncoded: certificates[1]) else {
            throw .unreadable(.intermediate)
        }
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: Self.date(instant))
            SignedDataPolicy()
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
        switch result {
        case .couldNotValidate(let failures):
            let reason = failures.first.map { Words.printable("\($0.policyFailureReason)") }
            throw .untrusted(reason: reason ?? "the certificates do not lead to a trusted root")
        case .validCertificate(let chain):
            guard let key = VerificationKey(leaf.publicKey), let validity = Self.validity(of: Array(chain)) else {
                throw .untrusted(reason: "the leaf certificate has no P-256 key, or no date at which all are valid")
            }
            return Trusted(key: key, certificates: Array(chain), validity: validity)
        }
    }

    private static func date(_ instant: Int64) -> Date { Date(timeIntervalSince1970: Double(instant / 1_000)) }

    /// The dates at which all certificates are valid; nil if there are none.
    private static func validity(of certificates: [Certificate]) -> ClosedRange<Int64>? {
        func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1_000).rounded()) }
        guard let start = certificates.map({ milliseconds($0.notValidBefore) }).max(),
            let end = certificates.map({ milliseconds($0.notValidAfter) }).min(), start <= end
        else { return nil }
        return start...end
    }

    // MARK: Revocation

    /// Asks whether the leaf and the intermediate were revoked. The chain must be trusted already, because its
    /// certificates say where to ask.
    private static func confirm(
        _ chain: Trusted,
        at instant: Int64,
        _ fetch: @escaping Fetch
    ) async throws(ChainRefusal) {
        for certificate in chain.certificates.dropLast() {
            let access = try? certificate.extensions.authorityInformationAccess
            guard access?.contains(where: { $0.method == .ocspServer }) == true else {
                throw .untrusted(reason: "a certificate has no OCSP address")
            }
        }
        let requester = Requester(fetch: fetch)
        var verifier = Verifier(rootCertificates: CertificateStore(chain.certificates.suffix(1))) {
            RFC5280Policy(fixedExpiryValidationTime: date(instant))
            OCSPVerifierPolicy(failureMode: .hard, requester: requester)
        }
        let result = await verifier.validate(
            leaf: chain.certificates[0],
            intermediates: CertificateStore([chain.certificates[1]])
        )
        guard case .couldNotValidate(let failures) = result else { return }
        if let failure = requester.failure.withLock({ $0 }) { throw .revocationUnknown(reason: failure) }
        let reason = failures.first.map { Words.printable("\($0.policyFailureReason)") }
        throw .revoked(reason: reason ?? "the OCSP responder does not confirm the certificates")
    }

    /// Sends the requests of swift-certificates, and notes if one got no answer.
    private final class Requester: OCSPRequester {
        let failure = Mutex<String?>(nil)
        private let fetch: Fetch

        init(fetch: @escaping Fetch) { self.fetch = fetch }

        func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
            do {
                return .response(try await fetch(request, uri))
            } catch {
                failure.withLock { $0 = "\(error)" }
                return .terminalError(error)
            }
        }
    }
}

/// The chain of signed data: three certificates, of which leaf and intermediate have their markers.
private struct SignedDataPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 3 else {
            return .failsToMeetPolicy(reason: "the chain has \(chain.count) certificates instead of three")
        }
        guard chain.leaf.extensions[oid: CertificateMarker.leaf] != nil else {
            return .failsToMeetPolicy(reason: "the leaf certificate lacks the marker \(CertificateMarker.leaf)")
        }
        let intermediate = chain[chain.index(after: chain.startIndex)]
        guard intermediate.extensions[oid: CertificateMarker.intermediate] != nil else {
            let marker = CertificateMarker.intermediate
            return .failsToMeetPolicy(reason: "the intermediate certificate lacks the marker \(marker)")
        }
        let usage = try? intermediate.extensions.keyUsage
        guard usage?.keyCertSign == true else {
            return .failsToMeetPolicy(reason: "the intermediate certificate may not sign certificates")
        }
        return .meetsPolicy
    }
}
