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
    package func signed(_ page: KeptHistoryPage, in scope: AccountScope, at now: Timestamp) throws -> [SignedText] {
        let chain = signingChain
        guard registry.payloadProfile(of: scope) == nil else {
            return try signed(page.content.rows, in: scope, at: now)
        }
        guard let age = signatureAge(in: scope) else { return try signedAgain(page, in: scope, by: chain, at: now) }
        if let texts = page.texts(by: chain.id, at: now, maxAge: age) {
            metrics.signatures.countReused(.jws, texts.count)
            return texts
        }
        let texts = try signed(page.content.rows, in: scope, by: chain, at: now, maxAge: age)
        page.keep(texts, by: chain.id)
        return texts.map(\.text)
    }

    /// Signs the transactions of a page, whose payloads change in their dates only.
    private func signedAgain(
        _ page: KeptHistoryPage,
        in scope: AccountScope,
        by chain: SigningChain,
        at now: Timestamp
    ) throws -> [SignedText] {
        let rows = page.content.rows
        let payloads = page.payloads(by: chain) {
            TransactionPayload.prepared($0, environment: scope.environment, app: scope.app, by: chain)
        }
        let texts = try rows.indices.map { place in
            let date = max(now, rows[place].modifiedDate)
            // The number of digits changes in 2001 and 2286.
            if let text = try payloads[place].sign(at: date.milliseconds, by: chain) { return text }
            return try chain.signText(
                TransactionPayload.bytes(
                    rows[place],
                    environment: scope.environment,
                    app: scope.app,
                    signedDate: date
                )
            )
        }
        metrics.signatures.countMade(.jws, texts.count)
        return texts
    }

    /// Returns signed transactions for a server. The signatures may be as old as `signatureAge` allows.
    package func signed(_ rows: [Transaction], in scope: AccountScope, at now: Timestamp) throws -> [SignedText] {
        try signed(rows, in: scope, by: signingChain, at: now, maxAge: signatureAge(in: scope)).map(\.text)
    }

    /// The age in milliseconds up to which a signature is used again; nil if every answer is signed. It is nil with a
    /// payload profile: the caches would return transactions signed under an earlier profile.
    private func signatureAge(in scope: AccountScope) -> Int64? {
        settings.signatureAge > 0 && registry.payloadProfile(of: scope) == nil
            ? Int64(settings.signatureAge) * 1_000 : nil
    }

    private func signed(
        _ rows: [Transaction],
        in scope: AccountScope,
        by chain: SigningChain,
        at now: Timestamp,
        maxAge: Int64?
    ) throws -> [DatedText] {
        let kept = maxAge.map { keys.signatures.texts(of: rows, by: chain.id, at: now, maxAge: $0) } ?? []
        let reused = kept.count { $0 != nil }
        if reused > 0 { metrics.signatures.countReused(.jws, reused) }
        return try rows.indices.map { place in
            if let text = kept.isEmpty ? nil : kept[place] { return text }
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
            let signed = DatedText(text: text, signedDate: date)
            if maxAge != nil { keys.signatures.keep(signed, of: row, by: chain.id) }
            return signed
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
