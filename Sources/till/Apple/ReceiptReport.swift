import AppStoreServer
import Foundation
import TillJSON
import TillSigning

/// Verifies an app receipt, and lists what is wrong.
enum ReceiptReport {
    static func make(
        of bytes: [UInt8],
        in file: String,
        trusting roots: RootFiles,
        acceptsSHA1: Bool,
        bundleID: String?,
        environment: StoreEnvironment?
    ) throws -> VerificationReport {
        let signed: SignedReceipt
        do {
            signed = try SignedReceipt(bytes)
        } catch {
            throw CommandRefused(
                "\(file) is neither a compact JWS nor an app receipt. \(error.explanation)",
                code: "malformed"
            )
        }
        var problems: [String] = []
        do {
            try ReceiptVerifier(rootsDER: roots.ders, acceptsSHA1: acceptsSHA1).verify(signed)
        } catch {
            problems.append(error.explanation)
        }
        let receipt = signed.receipt
        if let bundleID, receipt.bundleID != bundleID {
            problems.append("The bundle id is \(JSONTree.short(receipt.bundleID)) instead of \(bundleID).")
        }
        let isSandbox = receipt.receiptType.contains("Sandbox")
        if let environment, (environment == .sandbox) != isSandbox {
            problems.append(
                "The receipt type is \(JSONTree.short(receipt.receiptType)), not of \(environment.rawValue)."
            )
        }
        let note =
            bundleID == nil ? ["The bundle id was not compared. Compare it with --bundle \(receipt.bundleID)"] : []
        return VerificationReport(kind: "app receipt", problems: problems, notes: note, payload: payload(receipt))
    }

    private static func payload(_ receipt: AppReceipt) -> JSONTree {
        .members([
            "receiptType": .string(receipt.receiptType), "bundleId": .string(receipt.bundleID),
            "appAppleId": .count(receipt.appAppleID), "applicationVersion": .string(receipt.applicationVersion),
            "receiptCreationDate": .count(receipt.creationDate),
            "originalPurchaseDate": .count(receipt.originalPurchaseDate),
            "originalApplicationVersion": .text(receipt.originalApplicationVersion),
            "preorderDate": .count(receipt.preorderDate), "expirationDate": .count(receipt.expirationDate),
            "inApp": .array(receipt.inApp.map(payload)),
        ])
    }

    private static func payload(_ purchase: InAppReceipt) -> JSONTree {
        .members([
            "transactionId": .string(purchase.transactionID),
            "originalTransactionId": .string(purchase.originalTransactionID),
            "productId": .string(purchase.productID), "quantity": .count(purchase.quantity),
            "purchaseDate": .count(purchase.purchaseDate),
            "originalPurchaseDate": .count(purchase.originalPurchaseDate),
            "expirationDate": .count(purchase.expirationDate),
            "cancellationDate": .count(purchase.cancellationDate),
            "webOrderLineItemId": .count(purchase.webOrderLineItemID),
            "promotionalOfferId": .text(purchase.promotionalOfferID),
            "isTrialPeriod": .bool(purchase.isTrialPeriod),
        ])
    }
}
