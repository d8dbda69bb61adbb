import Foundation
import Testing
import TillSigning

@testable import AppStoreServer

@Suite("The verifier accepts what Apple's libraries accept")
struct SignedDataVerifierTests {
    private typealias Samples = SignedSamples
    private let samples: SignedSamples

    init() throws { samples = try SignedSamples() }

    /// The reason why data is refused; nil if it is accepted.
    private func refusal(
        _ signed: String,
        _ app: ExpectedApp = .sandbox(bundleID: SignedSamples.bundleID)
    ) async throws -> VerificationFailure.Reason? {
        await reason { _ = try await samples.verifier(app).verify(SignedTransaction(signed)) }
    }

    private func reason(_ verify: () async throws -> Void) async -> VerificationFailure.Reason? {
        do {
            try await verify()
            return nil
        } catch {
            return (error as? VerificationFailure)?.reason
        }
    }

    // MARK: Accepted

    @Test("Signed data of each kind is verified, and a notification has the verified data in it")
    func accepted() async throws {
        let verifier = try samples.verifier()
        let transaction = try await verifier.verify(SignedTransaction(samples.chain.sign(Samples.transaction())))
        #expect(transaction.payload.productId == "pro")
        let renewal = try await verifier.verify(SignedRenewalInfo(samples.chain.sign(Samples.renewalInfo())))
        #expect(renewal.payload.autoRenewStatus == .known(.on))
        let app = try await verifier.verify(SignedAppTransaction(samples.chain.sign(Samples.appTransaction())))
        #expect(app.payload.appTransactionId == "7")
        let notification = try await verifier.verify(samples.renewal().signed)
        #expect(notification.originalTransactionId == "1" && notification.transaction?.payload.transactionId == "2")
        #expect(notification.renewalInfo != nil && notification.appTransaction == nil)
        let consent = ["signedAppTransactionInfo": "\"\(try samples.chain.sign(Samples.appTransaction()))\""]
        let signed = SignedNotification(try samples.chain.sign(Samples.notification("appData", consent)))
        let rescinded = try await verifier.verify(signed)
        #expect(rescinded.appTransaction?.payload.appTransactionId == "7")
    }

    @Test("Roots are read from PEM, DER and files; other bytes are an error")
    func roots() async throws {
        let pem = Array(samples.root.certificatePEM.utf8)
        let file = FileManager.default.temporaryDirectory.appending(path: "till-root-\(UUID()).pem")
        try Data(pem).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let other = try RootAuthority.make().certificateDER
        let transaction = SignedTransaction(try samples.chain.sign(Samples.transaction()))
        for roots in [try TrustedRoots([other, pem]), try TrustedRoots(files: [file.path])] {
            let verifier = SignedDataVerifier(roots: roots, app: .sandbox(bundleID: Samples.bundleID))
            #expect(try await verifier.verify(transaction).payload.transactionId == "2")
        }
        for wrong in [
            [], [[]], [[0x30, 3, 2, 1, 0]], [Array("no certificate".utf8)], [samples.root.certificateDER, [0]],
        ] {
            #expect(throws: InvalidRoots.self, "\(wrong)") { try TrustedRoots(wrong) }
        }
        for path in [#filePath, "/no/such/root.pem"] {
            let refused = #expect(throws: InvalidFile.self) { try TrustedRoots(files: [path]) }
            #expect(refused?.path == path)
        }
    }

    // MARK: Signatures and certificates

    @Test("Every forgery is refused, with the reason", arguments: Forgery.allCases)
    func forgeries(forgery: Forgery) async throws {
        let content = Forger.Content(
            payload: Samples.transaction(),
            altered: Samples.transaction(["productId": "\"max\""]),
            judged: Samples.date...Samples.date
        )
        let forged = try Forger(root: samples.root, chain: samples.chain).sign(content, forgery)
        let expected: VerificationFailure.Reason =
            switch forgery {
            case .chainOfTwo, .chainOfFour: .chainLength
            case .tamperedPayload, .tamperedSignature: .signature
            case .algorithmNone, .sharedSecret: .algorithm
            default: .chain
            }
        #expect(try await refusal(forged) == expected)
        // The correct chain is known by now, and a forged one still is not trusted.
        #expect(try await refusal(samples.chain.sign(content.payload)) == nil)
        #expect(try await refusal(forged) == expected)
    }

    @Test("A header that demands an extension is refused", arguments: ["\"crit\":[\"exp\"]", "\"b64\":false"])
    func extensions(member: String) async throws {
        let parts = try samples.chain.sign(Samples.transaction()).split(separator: ".")
        let header = String(decoding: Base64URL.encode(Array("{\"alg\":\"ES256\",\(member)}".utf8)), as: UTF8.self)
        #expect(try await refusal("\(header).\(parts[1]).\(parts[2])") == .algorithm)
    }

    @Test("An object of a notification that has another type is not ignored")
    func ambiguous() async throws {
        let verifier = try samples.verifier()
        for (key, value) in [("data", "[]"), ("data", #"{"bundleId":"evil"}"#), ("appData", "5"), ("summary", "[]")] {
            let other = key == "summary" ? "data" : "summary"
            var text = String(decoding: Samples.notification(other, ["requestIdentifier": "\"r\""]), as: UTF8.self)
            text = "{\"\(key)\":\(value),\(text.dropFirst())"
            let signed = SignedNotification(try samples.chain.sign(Array(text.utf8)))
            #expect(await reason { _ = try await verifier.verify(signed) } == .malformed, "\(key): \(value)")
        }
    }

    @Test("A chain that is known is refused at a date at which its certificates are not valid")
    func dates() async throws {
        let verifier = try samples.verifier()
        func reason(on date: Int64) async throws -> VerificationFailure.Reason? {
            let signed = SignedTransaction(try samples.chain.sign(Samples.transaction(on: date)))
            return await self.reason { _ = try await verifier.verify(signed) }
        }
        #expect(try await reason(on: Samples.date) == nil)
        // The certificates are valid from 2008 to the first second of 2100.
        for (date, isValid) in [
            (1_199_145_600_000, true), (1_199_145_599_999, false), (4_102_444_800_999, true),
            (4_102_444_801_000, false), (Int64.max, false), (Int64.min, false), (0, false),
        ] {
            #expect(try await reason(on: date) == (isValid ? nil : .chain), "\(date)")
        }
    }

    @Test("Texts that are no signed data are refused, and so is one that is too long")
    func malformed() async throws {
        let good = try samples.chain.sign(Samples.transaction())
        let parts = good.split(separator: ".")
        let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AA==","AA==","AA=="]}"#.utf8))
        let unreadable = String(decoding: header, as: UTF8.self) + ".\(parts[1]).\(parts[2])"
        let bare = String(decoding: Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)), as: UTF8.self)
        let cases: [(String, VerificationFailure.Reason)] = [
            ("", .malformed), ("a.b.c", .malformed), ("\(good).x", .malformed), ("\(good)=", .malformed),
            (unreadable, .certificate), ("\(bare).\(parts[1]).\(parts[2])", .chainLength),
            (String(repeating: "a", count: SignedDataVerifier.maxBytes + 1), .malformed),
            (try samples.chain.sign(Samples.transaction(["productId": ""])), .malformed),
            (try samples.chain.sign(Samples.renewalInfo()), .malformed),
        ]
        for (text, expected) in cases { #expect(try await refusal(text) == expected, "\(text.prefix(40))") }
    }

    // MARK: App and environment

    @Test("Data about another app or environment is refused")
    func identity() async throws {
        let cases: [([String: String], VerificationFailure.Reason)] = [
            (["bundleId": "\"com.example.other\""], .app), (["environment": "\"Production\""], .environment),
            (["environment": ""], .environment), (["environment": "\"Xcode\""], .environment),
        ]
        for (members, expected) in cases {
            #expect(try await refusal(samples.chain.sign(Samples.transaction(members))) == expected, "\(members)")
        }
        let live = try samples.chain.sign(Samples.transaction(["environment": "\"Production\""]))
        #expect(try await refusal(live, Samples.production) == nil)
    }

    @Test("The id of the app in the App Store counts in production only")
    func appAppleID() async throws {
        let cases: [(ExpectedApp, String, String, VerificationFailure.Reason?)] = [
            (.sandbox(bundleID: Samples.bundleID), "Sandbox", "", nil),
            (.sandbox(bundleID: Samples.bundleID), "Sandbox", "7", nil),
            (Samples.production, "Production", "\(Samples.appAppleID)", nil),
            (Samples.production, "Production", "7", .app), (Samples.production, "Production", "", .app),
        ]
        for (app, environment, id, expected) in cases {
            let members = ["appAppleId": id, "receiptType": "\"\(environment)\""]
            let signed = SignedAppTransaction(try samples.chain.sign(Samples.appTransaction(members)))
            #expect(await reason { _ = try await samples.verifier(app).verify(signed) } == expected, "\(id)")
            let about = ["appAppleId": id, "environment": "\"\(environment)\""]
            for name in ["data", "summary", "appData"] {
                let object = about.merging(["requestIdentifier": "\"r\""]) { $1 }
                let notification = SignedNotification(try samples.chain.sign(Samples.notification(name, object)))
                let reason = await reason { _ = try await samples.verifier(app).verify(notification) }
                #expect(reason == expected, "\(name)")
            }
        }
    }

    @Test("The environment of an external purchase token is in its id")
    func externalPurchase() async throws {
        for (id, app, expected) in [
            ("SANDBOX_1", ExpectedApp.sandbox(bundleID: Samples.bundleID), nil),
            ("1", .sandbox(bundleID: Samples.bundleID), .environment), ("1", Samples.production, nil),
            ("SANDBOX_1", Samples.production, VerificationFailure.Reason.environment),
        ] {
            let token = ["externalPurchaseId": "\"\(id)\"", "appAppleId": "\(Samples.appAppleID)", "environment": ""]
            let signed = SignedNotification(
                try samples.chain.sign(Samples.notification("externalPurchaseToken", token))
            )
            #expect(await reason { _ = try await samples.verifier(app).verify(signed) } == expected, "\(id)")
        }
    }

    @Test("A notification is refused if the data in it is forged, and the failure names the data")
    func inner() async throws {
        let other = try SignedSamples()
        let good = try samples.chain.sign(Samples.transaction())
        for (data, subject) in [
            (["signedTransactionInfo": "\"\(try other.chain.sign(Samples.transaction()))\""], "transaction"),
            (["signedTransactionInfo": "\"\(try samples.chain.sign(Samples.renewalInfo()))\""], "transaction"),
            (
                [
                    "signedTransactionInfo": "\"\(good)\"",
                    "signedRenewalInfo": "\"\(try other.chain.sign(Samples.renewalInfo()))\"",
                ], "renewal information"
            ),
        ] {
            let signed = SignedNotification(try samples.chain.sign(Samples.notification("data", data)))
            let verifier = try samples.verifier()
            do throws(VerificationFailure) {
                _ = try await verifier.verify(signed)
                Issue.record("accepted")
            } catch {
                #expect(error.subject.rawValue == subject && !error.canRetry && "\(error)".hasPrefix(subject))
            }
        }
        let empty = SignedNotification(try samples.chain.sign(Samples.notification("nothing", [:])))
        #expect(await reason { _ = try await samples.verifier().verify(empty) } == .app)
    }

    @Test("Signatures of Xcode are not checked, only if the caller says so, and only for Xcode's environment")
    func xcode() async throws {
        func unsigned(_ environment: String) -> String {
            let payload = Samples.transaction(["environment": "\"\(environment)\""])
            return "e30.\(String(decoding: Base64URL.encode(payload), as: UTF8.self)).AAAA"
        }
        let xcode = ExpectedApp.uncheckedXcode(bundleID: Samples.bundleID)
        #expect(try await refusal(unsigned("Xcode"), xcode) == nil)
        #expect(try await refusal(unsigned("Sandbox"), xcode) == .environment)
        let local = ExpectedApp.uncheckedLocalTesting(bundleID: Samples.bundleID)
        #expect(try await refusal(unsigned("LocalTesting"), local) == nil)
        #expect(try await refusal(unsigned("Sandbox")) == .algorithm)
        #expect(try await refusal(unsigned("Xcode"), .uncheckedXcode(bundleID: "com.example.other")) == .app)
    }
}
