import Foundation
import TillCore
import TillSigning
import TillStorage

/// Signs transactions, renewal infos and app transactions for servers and, with additional keys, for apps on a device.
extension Shop {
    /// Returns a signed transaction for a server. The signature may be as old as `signatureAge` allows.
    package func signed(_ row: Transaction, environment: StoreEnvironment, app: String, at now: Timestamp) throws
        -> SignedText
    {
        try signed([row], in: AccountScope(environment: environment, app: app), at: now)[0]
    }

    /// Returns the signed transactions of a page for a server. The signatures may be as old as `signatureAge` allows.
    package func signed(_ rows: [Transaction], in scope: AccountScope, at now: Timestamp) throws -> [SignedText] {
        let chain = signingChain
        let age = Int64(settings.signatureAge) * 1_000
        // Not with a payload profile: the cache would return transactions signed under an earlier profile.
        let isKept = age > 0 && registry.payloadProfile(of: scope) == nil
        let kept = isKept ? keys.signatures.texts(of: rows, by: chain.id, at: now, maxAge: age) : []
        let reused = kept.count { $0 != nil }
        if reused > 0 { metrics.signatures.countReused(.jws, reused) }
        return try rows.indices.map { place in
            if isKept, let text = kept[place] { return text }
            let row = rows[place]
            let date = max(now, row.modifiedDate)
            let payload = TransactionPayload.bytes(
                row,
                environment: scope.environment,
                app: scope.app,
                signedDate: date
            )
            let text = try chain.signText(applyingProfile(payload, as: .transaction, in: scope))
            metrics.signatures.countMade(.jws)
            if isKept { keys.signatures.keep(text, of: row, by: chain.id, at: date) }
            return text
        }
    }

    /// Returns the signed renewal info of a subscription.
    ///
    /// - Parameters:
    ///   - instant: the date at which the subscription's state is evaluated; nil for `now`.
    ///   - now: the current time on the customer's clock.
    package func signedRenewalInfo(
        of subscription: some HeldSubscription,
        held account: Account,
        standing instant: Timestamp? = nil,
        at now: Timestamp
    ) throws -> SignedText {
        let info = renewalInfo(of: subscription, held: account, at: instant ?? now)
        let date = max(now, account.lastEvent)
        let payload = RenewalInfoPayload.bytes(info, environment: account.environment, signedDate: date)
        return try sign(payload, as: .renewalInfo, in: account.scope)
    }

    /// Returns the renewal info of a subscription at an instant.
    func renewalInfo(of subscription: some HeldSubscription, held account: Account, at now: Timestamp) -> RenewalInfo {
        RenewalInfo(
            of: subscription,
            held: account,
            at: now,
            catalog: registry.catalog(of: account.app),
            policy: registry.policy(of: account.scope)
        )
    }

    /// Returns a signed app transaction for a server; nil for a customer who has not downloaded the app.
    package func signedAppTransaction(of account: Account, at now: Timestamp) throws -> SignedText? {
        guard let download = account.appTransaction, let app = registry.app(account.app) else { return nil }
        // The customer's account may have been opened at a date that is later than `now`.
        let date = max(now, download.originalPurchaseDate)
        return try sign(
            AppTransactionPayload.bytes(download, of: account, appleID: app.appleID, createdAt: date),
            as: .appTransaction,
            in: account.scope
        )
    }

    /// Returns a signed transaction for the app on a customer's device.
    package func signedOnDevice(_ row: Transaction, _ account: Account, device: UUID, at now: Timestamp) throws
        -> SignedText
    {
        let date = max(now, row.modifiedDate)
        let payload = TransactionPayload.bytes(
            row,
            environment: account.environment,
            app: account.app,
            signedDate: date,
            device: Self.proof(for: device)
        )
        return try sign(payload, as: .transaction, in: account.scope)
    }

    /// Returns a signed app transaction for the app on a customer's device; nil for a customer who has not downloaded
    /// the app.
    package func appTransactionSignedOnDevice(_ account: Account, device: UUID, at now: Timestamp) throws -> SignedText?
    {
        guard let download = account.appTransaction, let app = registry.app(account.app) else { return nil }
        let payload = AppTransactionPayload.bytes(
            download,
            of: account,
            appleID: app.appleID,
            createdAt: now,
            device: Self.proof(for: device)
        )
        return try sign(
            payload,
            as: .appTransaction,
            in: account.scope
        )
    }

    /// Applies the payload profile to a payload and signs the result.
    private func sign(_ payload: [UInt8], as object: WireObject, in scope: AccountScope) throws -> SignedText {
        let text = try signingChain.signText(applyingProfile(payload, as: object, in: scope))
        metrics.signatures.countMade(.jws)
        return text
    }

    private static func proof(for device: UUID) -> DeviceProof {
        let nonce = UUID()
        return DeviceProof(
            verification: DeviceVerification.value(nonce: nonce, deviceID: device),
            nonce: nonce.uuidString.lowercased()
        )
    }
}
