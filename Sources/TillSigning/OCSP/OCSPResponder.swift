import SwiftASN1
import X509

/// Answers OCSP requests, which ask whether certificates are revoked (RFC 6960).
///
/// The responder knows a root and all chains under it, including former chains. See docs/api/ocsp.md.
package struct OCSPResponder: Sendable {
    /// The maximum size of a request in bytes. A longer request is rejected.
    package static let maxRequest = OCSPRequest.maxBytes

    /// The time for which a response is valid, in milliseconds.
    static let freshness: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000

    /// A certificate whose state the responder reports.
    package struct Known: Sendable, Hashable {
        /// The serial number in lower-case hexadecimal digits, without leading zeros.
        package let serial: String
        /// The kind of certificate: `leaf` or `intermediate`.
        package let part: ChainPart
        /// The id of the chain to which the certificate belongs.
        package let chainID: String
    }

    private struct Issuer {
        let signer: LazyOCSPSigner
        /// The issued certificates, by their serial numbers without leading zeros.
        var certificates: [[UInt8]: Known]
    }

    private let root: RootAuthority
    private let rootName: String
    private var names: [OCSPIssuer: String] = [:]
    /// The issuers: the root by its fingerprint, and each intermediate by the id of its chain.
    private var issuers: [String: Issuer] = [:]
    /// All certificates in the order in which their chains were added, the intermediate before the leaf.
    package private(set) var certificates: [Known] = []

    /// Creates a responder for a root, without chains.
    package init(root: RootAuthority) throws(SigningError) {
        self.root = root
        rootName = root.fingerprint
        try know(
            root.certificate,
            as: rootName,
            signing: LazyOCSPSigner(for: root.certificate, key: root.privateKey, .root),
            .root
        )
    }

    /// Adds a chain.
    ///
    /// - Returns: false if the chain is already known, or is not under the responder's root.
    @discardableResult
    package mutating func add(_ chain: SigningChain) throws(SigningError) -> Bool {
        guard chain.certificatesDER[2] == root.certificateDER, issuers[chain.id] == nil else { return false }
        let signer = LazyOCSPSigner(for: chain.intermediate, key: chain.intermediatePrivateKey, .intermediate)
        try know(chain.intermediate, as: chain.id, signing: signer, .intermediate)
        add(chain.intermediate, .intermediate, of: chain.id, under: rootName)
        add(chain.leaf, .leaf, of: chain.id, under: chain.id)
        return true
    }

    private mutating func know(
        _ issuer: Certificate,
        as name: String,
        signing signer: LazyOCSPSigner,
        _ part: ChainPart
    ) throws(SigningError) {
        for issuer in try OCSPIssuer.names(of: issuer, part) { names[issuer] = name }
        issuers[name] = Issuer(signer: signer, certificates: [:])
    }

    private mutating func add(_ certificate: Certificate, _ part: ChainPart, of chainID: String, under issuer: String) {
        let number = Array(certificate.serialNumber.bytes.drop { $0 == 0 })
        let known = Known(serial: Hexadecimal.text(number), part: part, chainID: chainID)
        issuers[issuer]?.certificates[number] = known
        certificates.append(known)
    }

    // MARK: Answering

    /// Answers a request, which may be any bytes.
    ///
    /// - Parameters:
    ///   - now: the real time, in milliseconds since 1970.
    ///   - state: returns the state to report for the certificate with a serial number.
    package func reply(to question: [UInt8], at now: Int64, state: (String) -> OCSPState) -> OCSPReply {
        let request: OCSPRequest
        do {
            request = try OCSPRequest(question)
        } catch {
            return OCSPReply(.answer(OCSPResponse.refusal(.malformedRequest)))
        }
        let asked = request.certificates.map { id in (id, names[id.issuer].flatMap { issuers[$0] }) }
        guard let signer = asked.lazy.compactMap(\.1?.signer).first else {
            return OCSPReply(.answer(OCSPResponse.refusal(.unauthorized)))
        }
        let states = asked.map { id, issuer in issuer?.certificates[id.serial].map { state($0.serial) } ?? .unknown }
        let delay = states.map { if case .slow(let delay) = $0 { delay } else { 0 } }.max() ?? 0
        if states.contains(.dead) { return OCSPReply(.silence) }
        for case .error(let failure) in states { return OCSPReply(Self.content(of: failure), delay: delay) }
        let entries = zip(request.certificates, states).map { id, state in
            let from = state == .stale ? now - 2 * Self.day : now
            let until = from + (state == .stale ? Self.day : Self.freshness)
            return OCSPResponse.Entry(certificate: id.encoded, state: state, thisUpdate: from, nextUpdate: until)
        }
        do {
            let answer = try OCSPResponse.successful(
                entries,
                producedAt: entries.map(\.thisUpdate).min() ?? now,
                nonce: request.nonce,
                by: try signer.signer()
            )
            return OCSPReply(.answer(answer), delay: delay)
        } catch {
            return OCSPReply(.answer(OCSPResponse.refusal(.internalError)))
        }
    }

    private static func content(of failure: OCSPFailure) -> OCSPReply.Content {
        switch failure {
        case .tryLater: .answer(OCSPResponse.refusal(.tryLater))
        case .internalError: .answer(OCSPResponse.refusal(.internalError))
        case .unauthorized: .answer(OCSPResponse.refusal(.unauthorized))
        case .http500: .serverError
        }
    }
}

/// The reply to an OCSP request.
package struct OCSPReply: Equatable, Sendable {
    /// The content of a reply.
    package enum Content: Equatable, Sendable {
        /// An OCSP response, sent with HTTP 200.
        case answer([UInt8])
        /// HTTP 500.
        case serverError
        /// No response: the connection is closed.
        case silence
    }

    /// The content, which is sent after the delay.
    package let content: Content
    /// The delay in milliseconds.
    package let delay: Int

    init(_ content: Content, delay: Int = 0) {
        self.content = content
        self.delay = delay
    }
}
