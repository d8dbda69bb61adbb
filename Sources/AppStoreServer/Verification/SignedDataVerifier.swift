import TillJSON
import TillVerification

/// Verifies signed data of the App Store, or of Till: its certificates, its signature, its app and its environment.
///
/// ```swift
/// let verifier = SignedDataVerifier(
///     roots: try TrustedRoots(files: ["AppleRootCA-G3.cer"]),
///     app: .production(bundleID: "com.example.shop", appAppleID: 6_448_311_069)
/// )
/// let transaction = try await verifier.verify(SignedTransaction(text))
/// ```
///
/// It accepts and refuses what Apple's libraries accept and refuse. Make one for each app and environment, and copy it
/// freely: copies share what they know about certificates.
public struct SignedDataVerifier: Sendable {
    /// The maximum length of signed data in bytes. A notification of a subscription has about 30,000.
    public static let maxBytes = 512 << 10

    /// The app and the environment that the data must have.
    public let app: ExpectedApp
    private let roots: TrustedRoots
    private let revocation: RevocationCheck
    private let time: any ClientTime

    /// A verifier.
    ///
    /// - Parameters:
    ///   - roots: the root certificates that are trusted.
    ///   - app: the app and the environment that the data must have.
    ///   - revocation: whether an OCSP responder is asked if the certificates were revoked.
    public init(roots: TrustedRoots, app: ExpectedApp, revocation: RevocationCheck = .none) {
        self.init(roots: roots, app: app, revocation: revocation, time: SystemTime())
    }

    /// A verifier with another source of time.
    package init(roots: TrustedRoots, app: ExpectedApp, revocation: RevocationCheck, time: any ClientTime) {
        (self.roots, self.app, self.revocation, self.time) = (roots, app, revocation, time)
    }

    // MARK: Signed data

    /// Verifies a transaction.
    public func verify(_ signed: SignedTransaction) async throws(VerificationFailure) -> VerifiedTransaction {
        let payload = try await payload(of: signed, .transaction)
        try check(payload.bundleId, .transaction)
        try check(payload.environment, .transaction)
        return VerifiedTransaction(signed, payload)
    }

    /// Verifies renewal information. Its payload does not name the app, so take it only together with a transaction of
    /// the same `originalTransactionId`.
    public func verify(_ signed: SignedRenewalInfo) async throws(VerificationFailure) -> VerifiedRenewalInfo {
        let payload = try await payload(of: signed, .renewalInfo)
        try check(payload.environment, .renewalInfo)
        return VerifiedRenewalInfo(signed, payload)
    }

    /// Verifies an app transaction.
    public func verify(_ signed: SignedAppTransaction) async throws(VerificationFailure) -> VerifiedAppTransaction {
        let payload = try await payload(of: signed, .appTransaction)
        try check(payload.bundleId, appAppleID: payload.appAppleId, .appTransaction)
        try check(payload.receiptType, .appTransaction)
        return VerifiedAppTransaction(signed, payload)
    }

    /// Verifies a notification, and the transaction, renewal information or app transaction in it.
    public func verify(_ signed: SignedNotification) async throws(VerificationFailure) -> VerifiedNotification {
        let payload = try await payload(of: signed, .notification)
        if let key = payload.malformedKey {
            throw VerificationFailure(.malformed, .notification, "\(key) is not of its type.")
        }
        let about = payload.subject
        try check(about.bundleID, appAppleID: about.appAppleID, .notification)
        try check(about.environment, .notification)
        var verified: (VerifiedTransaction?, VerifiedRenewalInfo?, VerifiedAppTransaction?)
        if let transaction = payload.data?.signedTransactionInfo { verified.0 = try await verify(transaction) }
        if let renewalInfo = payload.data?.signedRenewalInfo { verified.1 = try await verify(renewalInfo) }
        if let app = payload.appData?.signedAppTransactionInfo { verified.2 = try await verify(app) }
        return VerifiedNotification(
            signed,
            payload,
            transaction: verified.0,
            renewalInfo: verified.1,
            appTransaction: verified.2
        )
    }

    // MARK: Signatures

    /// The payload of data whose certificates and signature are valid.
    private func payload<Payload>(
        of signed: SignedObject<Payload>,
        _ subject: VerificationFailure.Subject
    ) async throws(VerificationFailure) -> Payload {
        let jws: CompactJWS
        do {
            jws = try CompactJWS(signed.text, limit: Self.maxBytes, depth: JSONLimits.depthOnly.depth)
        } catch {
            throw VerificationFailure(.malformed, subject, error.explanation(about: "signed data"))
        }
        if app.isSigned { try await checkSignature(of: jws, subject) }
        do {
            return try Payload(raw: RawObject(utf8: jws.payload))
        } catch {
            throw VerificationFailure(.malformed, subject, "The payload is not that of such data: \(error).")
        }
    }

    private func checkSignature(
        of jws: CompactJWS,
        _ subject: VerificationFailure.Subject
    ) async throws(VerificationFailure) {
        guard jws.headerString("alg") == "ES256" else {
            throw VerificationFailure(.algorithm, subject, "The header's alg is not ES256.")
        }
        // A verifier that does not know an extension must refuse it (RFC 7515 §4.1.11).
        if let name = ["crit", "b64"].first(where: { jws.header[$0] != nil }) {
            throw VerificationFailure(.algorithm, subject, "The header demands an extension (\(name)).")
        }
        let certificates = try certificates(in: jws, subject)
        let transport = revocation.transport
        let signedDate = (jws.claims["signedDate"] ?? jws.claims["receiptCreationDate"]).flatMap(Int64.init(wire:))
        let now = time.now.milliseconds
        let key: VerificationKey
        do {
            if let transport {
                key = try await roots.chains.key(of: certificates, validAt: now) { request, url in
                    try await RevocationCheck.fetch(request, url, over: transport)
                }
            } else {
                key = try await roots.chains.key(of: certificates, validAt: signedDate ?? now)
            }
        } catch {
            throw VerificationFailure(error, subject)
        }
        guard jws.verify(with: key) else {
            let message = "The text was changed after signing, or signed with another key."
            throw VerificationFailure(.signature, subject, message)
        }
    }

    /// The certificates of the header (`x5c`), as DER.
    private func certificates(
        in jws: CompactJWS,
        _ subject: VerificationFailure.Subject
    ) throws(VerificationFailure) -> [[UInt8]] {
        guard case .array(let elements)? = jws.header["x5c"] else {
            throw VerificationFailure(.chainLength, subject, "The header has no certificates (x5c).")
        }
        guard elements.count == 3 else {
            throw VerificationFailure(ChainRefusal.count(elements.count), subject)
        }
        var certificates: [[UInt8]] = []
        for element in elements {
            guard case .string(let text) = element, let der = Base64.decode(text) else {
                throw VerificationFailure(.certificate, subject, "A certificate of the header is not Base64.")
            }
            certificates.append(der)
        }
        return certificates
    }

    // MARK: App and environment

    private func check(_ bundleID: String?, _ subject: VerificationFailure.Subject) throws(VerificationFailure) {
        guard bundleID == app.bundleID else {
            let found = bundleID.map(Words.quoted) ?? "missing"
            let message = "The bundle id is \(found) instead of \(Words.quoted(app.bundleID))."
            throw VerificationFailure(.app, subject, message)
        }
    }

    private func check(
        _ bundleID: String?,
        appAppleID: Int64?,
        _ subject: VerificationFailure.Subject
    ) throws(VerificationFailure) {
        try check(bundleID, subject)
        guard let expected = app.appAppleID, appAppleID != expected else { return }
        let found = appAppleID.map { "\($0)" } ?? "missing"
        let message = "The id of the app in the App Store is \(found) instead of \(expected)."
        throw VerificationFailure(.app, subject, message)
    }

    private func check(
        _ environment: OpenValue<PayloadEnvironment>?,
        _ subject: VerificationFailure.Subject
    ) throws(VerificationFailure) {
        guard environment == app.environment else {
            let found = environment.map { Words.quoted($0.rawValue) } ?? "missing"
            let message = "The environment is \(found) instead of \(Words.quoted(app.environment.rawValue))."
            throw VerificationFailure(.environment, subject, message)
        }
    }
}

extension NotificationPayload {
    /// A key whose value has another type, so that the payload does not show it. If it were ignored, another object
    /// would decide which app the notification is about.
    fileprivate var malformedKey: String? {
        let own = Self.malformed(
            in: raw,
            [
                ("data", data == nil), ("summary", summary == nil), ("appData", appData == nil),
                ("externalPurchaseToken", externalPurchaseToken == nil),
            ]
        )
        let ofData = data.flatMap { data in
            Self.malformed(
                in: data.raw,
                [
                    ("signedTransactionInfo", data.signedTransactionInfo == nil),
                    ("signedRenewalInfo", data.signedRenewalInfo == nil),
                ]
            )
        }
        let ofApp = appData.flatMap { app in
            Self.malformed(in: app.raw, [("signedAppTransactionInfo", app.signedAppTransactionInfo == nil)])
        }
        return own ?? ofData ?? ofApp
    }

    private static func malformed(in raw: RawObject, _ keys: [(name: String, isHidden: Bool)]) -> String? {
        keys.first { $0.isHidden && raw.tree[$0.name].map { $0 != .null } ?? false }?.name
    }

    /// The app and the environment that a notification is about, from the one object that it has.
    fileprivate var subject: (bundleID: String?, appAppleID: Int64?, environment: OpenValue<PayloadEnvironment>?) {
        if let data { return (data.bundleId, data.appAppleId, .some(data.environment)) }
        if let summary { return (summary.bundleId, summary.appAppleId, summary.environment) }
        if let token = externalPurchaseToken {
            let isSandbox = token.externalPurchaseId.hasPrefix("SANDBOX")
            return (token.bundleId, token.appAppleId, .known(isSandbox ? .sandbox : .production))
        }
        return (appData?.bundleId, appData?.appAppleId, appData?.environment)
    }
}
