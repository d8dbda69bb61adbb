import Foundation
import TillCore
import TillSigning
import TillStorage

/// Creates app receipts for devices and for verifyReceipt responses.
extension Shop {
    /// Creates the current app receipt of a customer's device.
    ///
    /// - Parameter device: the identifier of the device, which determines the receipt's hash; nil for the customer's
    ///   default device.
    /// - Returns: the receipt file; nil if the app was deleted.
    package func appReceipt(of current: Account, device: UUID? = nil) async throws -> [UInt8]? {
        guard let app = registry.app(current.app) else { return nil }
        let frame = frame(of: current, app, device: device, at: now(of: current))
        if let minted = keptReceipt(Self.key(of: frame, current, isLatestOnly: false)) { return minted }
        let (account, rows) = try await accountWithRows(current)
        return try await mint(frame, of: account) { rows }
    }

    /// Signs a receipt, or returns it from the cache if the same receipt was signed within this second.
    ///
    /// - Parameters:
    ///   - frame: the receipt without its purchases.
    ///   - rows: returns the purchases of this version of the account.
    func mint(
        _ frame: AppReceipt,
        of account: Account,
        isLatestOnly: Bool = false,
        rows: () -> ReceiptRows
    ) async throws -> [UInt8] {
        let key = Self.key(of: frame, account, isLatestOnly: isLatestOnly)
        if let minted = keptReceipt(key) { return minted }
        let bytes = try await sign(frame, with: rows())
        keys.signedReceipts.keep(bytes, key)
        return bytes
    }

    private func keptReceipt(_ key: ReceiptCache.Key) -> [UInt8]? {
        guard let receipt = keys.signedReceipts.receipt(key) else { return nil }
        metrics.signatures.countReused(.receipt)
        return receipt
    }

    private static func key(of frame: AppReceipt, _ account: Account, isLatestOnly: Bool) -> ReceiptCache.Key {
        ReceiptCache.Key(
            account: account.id,
            version: account.version,
            frame: frame.payload(),
            isLatestOnly: isLatestOnly
        )
    }

    /// Adds the purchases to a receipt and signs it; does not use the cache.
    func sign(_ frame: AppReceipt, with rows: ReceiptRows) async throws -> [UInt8] {
        var receipt = frame
        receipt.inApp = rows.rows.map { InAppReceipt($0) }
        let bytes = try await keys.receipts.signing().chain.mint(receipt)
        metrics.signatures.countMade(.receipt)
        return bytes
    }

    /// Creates a receipt without its purchases.
    func frame(of account: Account, _ app: AppRecord, device: UUID?, at now: Timestamp) -> AppReceipt {
        let opaque = ReceiptMark(of: account.id, seed: identifiers.seed).bytes
        let guid = device ?? UUID(uuidString: identifiers.uuid("device/\(account.id.number)")) ?? UUID()
        var receipt = AppReceipt(
            receiptType: account.environment.receiptType,
            bundleID: account.app,
            applicationVersion: account.appTransaction?.applicationVersion ?? "1.0",
            creationDate: now.wholeSecond.milliseconds,
            opaqueValue: opaque,
            deviceHash: AppReceipt.deviceHash(
                guid: withUnsafeBytes(of: guid.uuid) { Array($0) },
                opaqueValue: opaque,
                bundleID: account.app
            )
        )
        if account.appTransaction?.originalPlatform == .macOS { receipt.platform = .macOS }
        receipt.preorderDate = account.appTransaction?.preorderDate?.milliseconds
        // In the sandbox the following values are constants, which `AppReceipt` sets by default.
        guard account.environment == .production else { return receipt }
        receipt.appAppleID = app.appleID
        receipt.issueDate = receipt.creationDate
        receipt.downloadID = account.id.number
        if let download = account.appTransaction {
            receipt.originalPurchaseDate = download.originalPurchaseDate.wholeSecond.milliseconds
            receipt.originalApplicationVersion = download.originalApplicationVersion
        } else {
            // The customer did not download the app. If the customer's clock is in the past, the receipt may be older
            // than the app's creation date, so the earlier date applies.
            receipt.originalPurchaseDate = min(app.createdAt.wholeSecond.milliseconds, receipt.creationDate)
        }
        return receipt
    }
}

extension StoreEnvironment {
    /// The environment as attribute 0 of a receipt.
    var receiptType: String { self == .production ? "Production" : "ProductionSandbox" }

    /// Reads the environment from attribute 0 of a receipt; nil for other values, such as that of receipts from Xcode.
    init?(receiptType: String) {
        switch receiptType {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        default: return nil
        }
    }
}

extension InAppReceipt {
    /// Creates the element of a receipt for a transaction.
    init(_ row: Transaction) {
        let isSubscription = row.type == .autoRenewable
        self.init(
            kind: Kind(row.type),
            productID: row.productID,
            transactionID: row.shownID,
            purchaseDate: row.purchaseDate.milliseconds,
            originalTransactionID: row.shownOriginalID,
            originalPurchaseDate: row.originalPurchaseDate.milliseconds
        )
        quantity = Int64(row.quantity)
        expirationDate = isSubscription ? row.expiresDate?.milliseconds : nil
        webOrderLineItemID = isSubscription ? row.lineItem : nil
        cancellationDate = row.revocation?.date.milliseconds
        cancellationReason = row.revocation.map { Int64($0.reason.rawValue) }
        isTrialPeriod = row.isTrial
        isInIntroOfferPeriod = isSubscription ? row.isIntroductoryPrice : nil
        promotionalOfferID = row.offerID(of: .promotional)
    }
}

extension InAppReceipt.Kind {
    /// The value of attribute 1707 for a product type.
    init(_ type: ProductKind) {
        switch type {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        }
    }
}
