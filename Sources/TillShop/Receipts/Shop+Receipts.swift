import Foundation
import TillCore
import TillSigning
import TillStorage

/// Creates app receipts: for a device, and for an answer of verifyReceipt.
extension Shop {
    /// The present app receipt of a customer's device.
    ///
    /// - Parameter device: the device for the hash; nil is a fixed device of the customer.
    /// - Returns: the file; nil if the app does not exist any more.
    package func appReceipt(of current: Account, device: UUID? = nil) async throws -> [UInt8]? {
        guard let app = registry.app(current.app) else { return nil }
        let frame = frame(of: current, app, device: device, at: now(of: current))
        if let minted = receiptCache.receipt(Self.key(of: frame, current, isLatestOnly: false)) { return minted }
        let (account, rows) = try await accountWithRows(current)
        return try await mint(frame, of: account) { rows }
    }

    /// How many receipts were signed since the start, for devices and answers, without those from the cache.
    package var receiptsSigned: Int { receiptCache.signed }

    /// Signs a receipt, unless the same was signed within this second.
    ///
    /// - Parameters:
    ///   - frame: everything except the purchases.
    ///   - rows: the purchases of that version of the account.
    func mint(
        _ frame: AppReceipt,
        of account: Account,
        isLatestOnly: Bool = false,
        rows: () -> ReceiptRows
    ) async throws -> [UInt8] {
        let key = Self.key(of: frame, account, isLatestOnly: isLatestOnly)
        if let minted = receiptCache.receipt(key) { return minted }
        let bytes = try await sign(frame, with: rows())
        receiptCache.keep(bytes, key)
        return bytes
    }

    private static func key(of frame: AppReceipt, _ account: Account, isLatestOnly: Bool) -> ReceiptCache.Key {
        ReceiptCache.Key(
            account: account.id,
            version: account.version,
            frame: frame.payload(),
            isLatestOnly: isLatestOnly
        )
    }

    /// Signs a receipt with its purchases, without the cache.
    func sign(_ frame: AppReceipt, with rows: ReceiptRows) async throws -> [UInt8] {
        var receipt = frame
        receipt.inApp = rows.rows.map { InAppReceipt($0) }
        return try await receiptKeys.signing().chain.mint(receipt)
    }

    /// A receipt without its purchases.
    func frame(of account: Account, _ app: AppRecord, device: UUID?, at now: Timestamp) -> AppReceipt {
        let opaque = ReceiptMark(of: account.id, seed: seed).bytes
        let guid = device ?? UUID(uuidString: uuid("device/\(account.id.number)")) ?? UUID()
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
        // In the sandbox the following values are constant, and the receipt already has them.
        guard account.environment == .production else { return receipt }
        receipt.appAppleID = app.appleID
        receipt.issueDate = receipt.creationDate
        receipt.downloadID = account.id.number
        if let download = account.appTransaction {
            receipt.originalPurchaseDate = download.originalPurchaseDate.wholeSecond.milliseconds
            receipt.originalApplicationVersion = download.originalApplicationVersion
        } else {
            // The customer did not download the app. On a clock in the past, the account may be older than the app.
            receipt.originalPurchaseDate = min(app.createdAt.wholeSecond.milliseconds, receipt.creationDate)
        }
        return receipt
    }
}

extension StoreEnvironment {
    /// Attribute 0 of a receipt.
    var receiptType: String { self == .production ? "Production" : "ProductionSandbox" }

    /// The environment from attribute 0 of a receipt; nil for one from Xcode.
    init?(receiptType: String) {
        switch receiptType {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        default: return nil
        }
    }
}

extension InAppReceipt {
    /// A transaction as an element of a receipt.
    init(_ row: Transaction) {
        let isSubscription = row.type == .autoRenewable
        self.init(
            kind: Kind(row.type),
            productID: row.productID,
            transactionID: row.id.wireForm,
            purchaseDate: row.purchaseDate.milliseconds,
            originalTransactionID: row.originalID.wireForm,
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
    /// The number of a product type in attribute 1707.
    init(_ type: ProductType) {
        switch type {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .nonRenewing: self = .nonRenewing
        case .autoRenewable: self = .autoRenewable
        }
    }
}
