import Foundation
import TillSigning

@testable import AppStoreServer

/// A root, a chain under it, and data that it signs.
struct SignedSamples {
    static let bundleID = "com.example.shop"
    static let appAppleID: Int64 = 1_234_567_890
    /// 2026-01-01 00:00:00 UTC.
    static let date = TestTime.start.milliseconds

    let root: RootAuthority
    let chain: SigningChain

    init() throws {
        root = try RootAuthority.make()
        chain = try SigningChain.issue(under: root, ocspURL: "http://localhost:8888/ocsp")
    }

    // MARK: Verifiers

    func verifier(
        _ app: ExpectedApp = .sandbox(bundleID: bundleID),
        _ revocation: RevocationCheck = .none,
        time: any ClientTime = TestTime()
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots([root.certificateDER]),
            app: app,
            revocation: revocation,
            time: time
        )
    }

    static let production = ExpectedApp.production(bundleID: bundleID, appAppleID: appAppleID)

    // MARK: Payloads

    /// The payload of a transaction, with or instead of other members.
    static func transaction(_ members: [String: String] = [:], on date: Int64 = date) -> [UInt8] {
        let all = [
            "transactionId": "\"2\"", "originalTransactionId": "\"1\"", "bundleId": "\"\(bundleID)\"",
            "productId": "\"pro\"", "purchaseDate": "1", "signedDate": "\(date)", "environment": "\"Sandbox\"",
        ]
        return object(all.merging(members) { $1 })
    }

    static func renewalInfo(_ members: [String: String] = [:]) -> [UInt8] {
        let all = [
            "originalTransactionId": "\"1\"", "autoRenewStatus": "1", "signedDate": "\(date)",
            "environment": "\"Sandbox\"",
        ]
        return object(all.merging(members) { $1 })
    }

    static func appTransaction(_ members: [String: String] = [:]) -> [UInt8] {
        let all = [
            "receiptType": "\"Sandbox\"", "bundleId": "\"\(bundleID)\"", "receiptCreationDate": "\(date)",
            "appTransactionId": "\"7\"",
        ]
        return object(all.merging(members) { $1 })
    }

    /// The payload of a notification with one object (`data`, `summary` and so on).
    static func notification(
        _ name: String,
        _ object: [String: String],
        id: String = "u",
        on date: Int64 = date
    ) -> [UInt8] {
        let about = ["bundleId": "\"\(bundleID)\"", "environment": "\"Sandbox\""].merging(object) { $1 }
        return self.object([
            "notificationType": "\"DID_RENEW\"", "notificationUUID": "\"\(id)\"", "version": "\"2.0\"",
            "signedDate": "\(date)", name: String(decoding: self.object(about), as: UTF8.self),
        ])
    }

    private static func object(_ members: [String: String]) -> [UInt8] {
        let pairs = members.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }
        return Array("{\(pairs.joined(separator: ","))}".utf8)
    }

    // MARK: Signed

    /// A notification about a subscription, with the body of its request.
    func renewal(id: String = "u", on date: Int64 = date) throws -> (signed: SignedNotification, body: [UInt8]) {
        let data = [
            "signedTransactionInfo": "\"\(try chain.sign(Self.transaction(on: date)))\"",
            "signedRenewalInfo": "\"\(try chain.sign(Self.renewalInfo()))\"",
        ]
        let text = try chain.sign(Self.notification("data", data, id: id, on: date))
        return (SignedNotification(text), Array(#"{"signedPayload":"\#(text)"}"#.utf8))
    }
}
