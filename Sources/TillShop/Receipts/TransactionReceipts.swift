import Foundation
import TillCore
import TillJSON
import TillSigning
import TillStorage

/// Creates and verifies receipts of single transactions, as in iOS 6 (docs/api/receipts/verify-receipt.md).
extension Shop {
    /// Creates the receipt of one transaction. Clients send its text as `receipt-data`, encoded in Base64.
    package func transactionReceipt(of row: Transaction, _ account: Account, device: UUID? = nil) async throws
        -> String
    {
        let chain = try await keys.receipts.signing().chain
        let minted = try chain.mint(receipt(of: row, account, vendor: device?.uuidString ?? vendor(of: account)))
        metrics.signatures.countMade(.receipt)
        return minted
    }

    /// Creates the verifyReceipt response for a receipt of one transaction.
    func answer(_ receipt: TransactionReceipt, _ request: VerifyReceiptRequest, in environment: StoreEnvironment)
        async throws
        -> VerifyReceiptAnswer
    {
        let app = receipt.bundleID
        let home: StoreEnvironment = receipt.environment == .production ? .production : .sandbox
        guard home == environment else { return .otherEnvironment(than: environment, of: app) }
        guard let record = registry.app(app) else {
            return .refused(.noAccount, in: environment, of: app, because: "App \(app) was deleted.")
        }
        let scope = AccountScope(environment: environment, app: app)
        let isSubscription = receipt.expirationDate != nil
        if let refusal = refusal(of: request.password, for: record, in: environment, isNeeded: isSubscription) {
            return refusal
        }
        guard
            let owner = try await owner(ofShown: receipt.transactionID, in: scope),
            let account = try await storage.account(owner)
        else {
            return .refused(
                .noAccount,
                in: environment,
                of: app,
                because: "The receipt's transaction does not exist on this server."
            )
        }
        let object = TransactionReceiptObject.bytes(receipt)
        guard
            let subscription = account.heldSubscriptions.first(where: {
                $0.shownOriginalID == receipt.originalTransactionID
            })
        else {
            var json = JSONWriter(capacity: 2_048)
            json.put("status", 0)
            json.put("receipt", written: object)
            return VerifyReceiptAnswer(status: 0, body: json.finish(), app: app, explanation: nil)
        }
        return try await answer(subscription, of: account, receipt, object)
    }

    private func answer(
        _ subscription: some HeldSubscription,
        of account: Account,
        _ sent: TransactionReceipt,
        _ object: [UInt8]
    ) async throws -> VerifyReceiptAnswer {
        let instant = try await instantOfState(of: account)
        let info = renewalInfo(of: subscription, held: account, at: instant)
        let isOver = !subscription.state.givesAccess
        let latest = receipt(of: subscription.latestTransaction, account, vendor: sent.uniqueVendorIdentifier)
        let code = isOver ? 21_006 : 0
        var json = JSONWriter(capacity: 8_192)
        json.put("auto_renew_status", info.autoRenews ? 1 : 0)
        json.put("status", code)
        json.put("auto_renew_product_id", info.autoRenewProductID)
        json.put("receipt", written: object)
        json.put("expiration_intent", asText: info.expirationIntent?.rawValue)
        json.put("is_in_billing_retry_period", asDigit: info.isInBillingRetry)
        if isOver {
            json.put("latest_expired_receipt_info", written: TransactionReceiptObject.bytes(latest))
        } else {
            json.put("latest_receipt_info", written: TransactionReceiptObject.bytes(latest))
            let minted = try await keys.receipts.signing().chain.mint(latest)
            metrics.signatures.countMade(.receipt)
            json.put("latest_receipt", Base64.encode(Array(minted.utf8)))
        }
        return VerifyReceiptAnswer(
            status: code,
            body: json.finish(),
            app: account.app,
            explanation: isOver ? "The receipt is valid, but its subscription has expired." : nil
        )
    }

    /// Creates the unsigned receipt of a transaction.
    func receipt(of row: Transaction, _ account: Account, vendor: String) -> TransactionReceipt {
        var receipt = TransactionReceipt(
            environment: account.environment == .production ? .production : .sandbox,
            bundleID: account.app,
            applicationVersion: account.appTransaction?.applicationVersion ?? "1.0",
            productID: row.productID,
            transactionID: row.shownID,
            purchaseDate: row.purchaseDate.milliseconds
        )
        receipt.quantity = Int64(row.quantity)
        receipt.originalTransactionID = row.shownOriginalID
        receipt.originalPurchaseDate = row.originalPurchaseDate.milliseconds
        receipt.uniqueVendorIdentifier = vendor
        if row.type == .autoRenewable {
            receipt.webOrderLineItemID = row.lineItem.map { String($0) }
            receipt.expirationDate = row.expiresDate?.milliseconds
        }
        return receipt
    }

    private func vendor(of account: Account) -> String { identifiers.uuid("device/\(account.id.number)").uppercased() }
}
