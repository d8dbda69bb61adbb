import AppStoreServer
import Foundation
import TillJSON
import TillSigning

/// Verifies a compact JWS of the App Store, and lists every problem.
enum SignedDataReport {
    /// What the user expects of the data; nil for anything.
    struct Expectations {
        let bundleID: String?
        let environment: StoreEnvironment?
        let appAppleID: Int64?
        let revocation: RevocationCheck
    }

    static func make(
        of text: String,
        in file: String,
        trusting roots: RootFiles,
        _ expected: Expectations
    ) async throws -> VerificationReport {
        let payload: JSONTree
        do {
            let jws = try CompactJWS(text, limit: SignedDataVerifier.maxBytes, depth: JSONLimits.depthOnly.depth)
            payload = try JSONTree.parse(jws.payload, limits: .depthOnly, keepsNull: true)
        } catch {
            let reason = (error as? JWSRefusal)?.explanation ?? "Its payload is not a JSON object."
            throw CommandRefused("\(file) is not signed data. \(reason)", code: "malformed")
        }
        var problems = signatureProblems(of: text, "", trusting: roots.ders)
        let about = Subject(payload)
        if about.isSignedByStore {
            do {
                try await verify(text, payload, about, roots.trusted, expected)
            } catch let failure as VerificationFailure {
                // The inspection may have found the same and more.
                let isKnown = problems.contains { $0.hasSuffix(failure.message) }
                if !isKnown { problems.insert(failure.description, at: 0) }
            }
        } else {
            problems.append(
                "The environment is \(about.environment): no App Store signed the data, so anybody can make it."
            )
        }
        var notes: [String] = []
        if expected.bundleID == nil, let found = about.bundleID {
            notes.append("The bundle id was not compared. Compare it with --bundle \(found)")
        }
        return VerificationReport(
            kind: kind(of: payload).rawValue,
            problems: problems,
            notes: notes,
            payload: SignedAnswers.decoded(payload)
        )
    }

    /// Every problem of the signatures of the data and of the signed data in it.
    private static func signatureProblems(of text: String, _ place: String, trusting roots: [[UInt8]]) -> [String] {
        guard
            let jws = try? CompactJWS(text, limit: SignedDataVerifier.maxBytes, depth: JSONLimits.depthOnly.depth),
            let payload = SignedAnswers.payload(text)
        else { return ["\(place)The text is not a compact JWS."] }
        let date = (payload["signedDate"] ?? payload["receiptCreationDate"])?.number
        let instant = date ?? Int64(Date().timeIntervalSince1970 * 1_000)
        let inspection = JWSInspection(jws, trusting: roots, at: instant)
        var problems = inspection.problems.map { place + $0 }
        if let root = inspection.root, root != .trusted { problems.append(place + words(root)) }
        for part in ["data", "appData"].compactMap({ payload[$0] }) {
            for member in part.members where member.key.hasPrefix("signed") {
                guard let inner = member.value.text else { continue }
                problems += signatureProblems(of: inner, "\(place)\(member.key): ", trusting: roots)
            }
        }
        return problems
    }

    private static func words(_ root: ChainRoot) -> String {
        switch root {
        case .trusted: ""
        case .apple(let name): "The certificates end at \(name), which was not given with --root."
        case .till: "The certificates end at the root of a Till, which was not given with --root (till ca export)."
        case .unknown: "The certificates end at a root that is neither Apple's nor given with --root."
        }
    }

    private static func kind(of payload: JSONTree) -> VerificationFailure.Subject {
        if payload["notificationType"] != nil { return .notification }
        if payload["receiptType"] != nil { return .appTransaction }
        return payload["transactionId"] == nil && payload["autoRenewStatus"] != nil ? .renewalInfo : .transaction
    }

    private static func verify(
        _ text: String,
        _ payload: JSONTree,
        _ about: Subject,
        _ roots: TrustedRoots,
        _ expected: Expectations
    ) async throws {
        let bundleID = expected.bundleID ?? about.bundleID ?? ""
        let isProduction = expected.environment.map { $0 == .production } ?? (about.environment == "Production")
        let app =
            isProduction
            ? ExpectedApp.production(bundleID: bundleID, appAppleID: expected.appAppleID ?? about.appAppleID ?? 0)
            : ExpectedApp.sandbox(bundleID: bundleID)
        let verifier = SignedDataVerifier(roots: roots, app: app, revocation: expected.revocation)
        switch kind(of: payload) {
        case .transaction: _ = try await verifier.verify(SignedTransaction(text))
        case .renewalInfo: _ = try await verifier.verify(SignedRenewalInfo(text))
        case .appTransaction: _ = try await verifier.verify(SignedAppTransaction(text))
        case .notification: _ = try await verifier.verify(SignedNotification(text))
        }
    }

    /// The app and the environment that the data names.
    private struct Subject {
        let bundleID: String?
        let appAppleID: Int64?
        let environment: String

        init(_ payload: JSONTree) {
            let keys = ["data", "summary", "externalPurchaseToken", "appData"]
            let about = keys.compactMap { payload[$0] }.first ?? payload
            bundleID = about["bundleId"]?.text
            appAppleID = about["appAppleId"]?.number
            let isSandboxToken = about["externalPurchaseId"]?.text?.hasPrefix("SANDBOX") ?? false
            environment =
                (about["environment"] ?? about["receiptType"])?.text ?? (isSandboxToken ? "Sandbox" : "Production")
        }

        var isSignedByStore: Bool { environment != "Xcode" && environment != "LocalTesting" }
    }
}
