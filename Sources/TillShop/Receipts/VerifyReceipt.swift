import TillCore
import TillJSON
import TillSigning
import TillStorage

/// The body of a verifyReceipt request.
package struct VerifyReceiptRequest: Sendable {
    /// `receipt-data`: an app receipt, or the receipt of a single transaction, in Base64.
    package let receiptData: String
    /// `password`: the shared secret.
    package let password: String?
    /// `exclude-old-transactions`: whether the response contains only the latest transaction of each subscription.
    package let excludesOldTransactions: Bool

    /// Creates a request from its three members.
    package init(receiptData: String, password: String?, excludesOldTransactions: Bool) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }
}

/// A verifyReceipt response, whose HTTP status is always 200.
package struct VerifyReceiptAnswer: Sendable {
    /// `status`: 0 for a valid receipt.
    package let status: Int
    /// The response body, as JSON.
    package let body: [UInt8]
    /// The bundle id in the receipt; nil if the receipt could not be read.
    package let app: String?
    /// The customer of the receipt; nil if unknown.
    package var customer: String?
    /// The reason for a status other than 0; nil if the status is 0.
    package let explanation: String?
}

/// The verifyReceipt endpoint (docs/api/receipts/verify-receipt.md).
extension Shop {
    /// Verifies a receipt and adds the current data of its customer.
    ///
    /// For an invalid receipt, the response has a status other than 0. The function throws an error only if the data
    /// cannot be read.
    package func verifyReceipt(_ request: VerifyReceiptRequest, in environment: StoreEnvironment) async throws
        -> VerifyReceiptAnswer
    {
        guard let bytes = Base64.decode(asSent: request.receiptData), !bytes.isEmpty else {
            return .malformed(Base64.fault(of: request.receiptData))
        }
        let verifier = try await keys.receipts.signing().verifier
        do {
            if TransactionReceipt.looksLike(bytes) {
                return try await answer(try verifier.parseTransaction(bytes), request, in: environment)
            }
            return try await answer(try verifier.parse(bytes), request, in: environment)
        } catch let refusal as ReceiptRefusal {
            switch refusal {
            case .malformed:
                let hint =
                    request.receiptData.contains(" ")
                    ? " It contains spaces: a form decoder may have replaced each +." : ""
                return .malformed(refusal.explanation + hint)
            case .notAuthenticated: return .refused(.notAuthenticated, in: environment, because: refusal.explanation)
            }
        }
    }

    private func answer(_ receipt: AppReceipt, _ request: VerifyReceiptRequest, in environment: StoreEnvironment)
        async throws
        -> VerifyReceiptAnswer
    {
        let app = receipt.bundleID
        guard let home = StoreEnvironment(receiptType: receipt.receiptType) else {
            return .refused(
                .notAuthenticated,
                in: environment,
                of: app,
                because: "The receipt's type belongs neither to production nor to the sandbox."
            )
        }
        guard home == environment else { return .otherEnvironment(than: environment, of: app) }
        guard let record = registry.app(app) else {
            return .refused(.noAccount, in: environment, of: app, because: "App \(app) was deleted.")
        }
        let scope = AccountScope(environment: environment, app: app)
        let account = try await account(of: receipt, in: scope)
        let hasSubscription =
            account.map { !$0.heldSubscriptions.isEmpty } == true
            || receipt.inApp.contains { $0.kind == .autoRenewable }
        if let refusal = refusal(of: request.password, for: record, in: environment, isNeeded: hasSubscription) {
            return refusal
        }
        guard let account else {
            return .refused(
                .noAccount,
                in: environment,
                of: app,
                because: "The receipt's customer does not exist on this server."
            )
        }
        var json = JSONWriter(capacity: 16_384)
        json.put("status", 0)
        json.put("environment", environment.wireName)
        json.put("receipt", written: ReceiptObject.bytes(receipt, requested: now(of: account)))
        if hasSubscription {
            try await addLedgerData(of: account, receipt, request.excludesOldTransactions, in: &json)
        }
        return VerifyReceiptAnswer(
            status: 0,
            body: json.finish(),
            app: app,
            customer: account.customer,
            explanation: nil
        )
    }

    /// Adds the customer's current data to a response. It may be newer than the receipt.
    private func addLedgerData(
        of found: Account,
        _ receipt: AppReceipt,
        _ isLatestOnly: Bool,
        in json: inout JSONWriter
    ) async throws {
        var (account, rows) = try await accountWithRows(found)
        if isLatestOnly { rows = rows.latestOnly }
        let now = now(of: account)
        let hasSubscription = !account.heldSubscriptions.isEmpty
        if hasSubscription { json.put("latest_receipt_info", objects: rows.rows.map(LatestReceiptInfo.bytes)) }
        // The new receipt keeps the app and the device hash of the receipt in the request, so that it is valid on the
        // same device.
        var frame = receipt
        frame.inApp = []
        frame.creationDate = now.wholeSecond.milliseconds
        let latest = try await mint(frame, of: account, isLatestOnly: isLatestOnly) { rows }
        json.put("latest_receipt", Base64.encode(latest))
        if hasSubscription {
            let instant = try await instantOfState(of: account)
            json.put("pending_renewal_info", objects: pendingRenewals(of: account, at: instant))
        }
    }

    /// The elements of `pending_renewal_info` for an account's subscriptions.
    func pendingRenewals(of account: Account, at now: Timestamp) -> [[UInt8]] {
        account.heldSubscriptions.sorted { $0.originalID < $1.originalID }.compactMap { subscription in
            PendingRenewalInfo.bytes(subscription, renewalInfo(of: subscription, held: account, at: now))
        }
    }

    /// Finds the customer of a receipt by its opaque value, or else by one of its purchases.
    private func account(of receipt: AppReceipt, in scope: AccountScope) async throws -> Account? {
        if let id = ReceiptMark.account(of: receipt.opaqueValue, seed: identifiers.seed),
            let account = try await storage.account(id), account.environment == scope.environment,
            account.app == scope.app
        {
            return account
        }
        for purchase in receipt.inApp.prefix(Self.maxLookedUp) {
            if let owner = try await owner(ofShown: purchase.transactionID, in: scope) {
                return try await storage.account(owner)
            }
        }
        return nil
    }

    /// The maximum number of purchases that the search for the customer looks up.
    private static let maxLookedUp = 8

    /// Checks the shared secret of a request; nil if it is correct, or if it is neither required nor given.
    func refusal(of password: String?, for app: AppRecord, in environment: StoreEnvironment, isNeeded: Bool)
        -> VerifyReceiptAnswer?
    {
        guard password != nil || isNeeded else { return nil }
        if let password, registry.isSharedSecret(password, of: app) { return nil }
        let secret =
            app.sharedSecret != nil
            ? "the app's own shared secret, which till secret show prints"
            : registry.sharedSecret(of: app) != nil
                ? "the team's shared secret, which till secret show prints"
                : "a shared secret, but \(app.bundleID) has none; create one with till secret create"
        return .refused(
            .wrongSecret,
            in: environment,
            of: app.bundleID,
            because: password == nil
                ? "The customer has a subscription, so password must be \(secret)."
                : "The password is wrong: it must be \(secret)."
        )
    }
}

extension Base64 {
    /// Explains why a text is not Base64.
    fileprivate static func fault(of text: String) -> String {
        if text.isEmpty { return "receipt-data is empty." }
        if text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) {
            return "receipt-data is in the URL-safe alphabet; send standard Base64, with + and /."
        }
        return "receipt-data is not standard Base64."
    }

    /// Decodes Base64 as clients send it: with white space and line breaks anywhere, with or without padding. It
    /// accepts neither the URL-safe alphabet nor a text in which a form decoder replaced `+` with a space.
    static func decode(asSent text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        // Most clients send a text without white space, which need not be searched for it.
        return decode(unpadded: characters)
            ?? decode(unpadded: characters.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) })
    }
}
