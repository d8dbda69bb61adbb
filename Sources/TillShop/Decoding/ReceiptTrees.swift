import TillJSON
import TillSigning

extension AppReceipt {
    /// The content as JSON, with names similar to those of verifyReceipt. Dates are milliseconds since 1970.
    var tree: JSONTree {
        .members([
            "receiptType": .string(receiptType), "bundleId": .string(bundleID),
            "applicationVersion": .string(applicationVersion), "receiptCreationDate": .count(creationDate),
            "requestDate": .count(issueDate),
            "originalPurchaseDate": .count(originalPurchaseDate),
            "originalApplicationVersion": .text(originalApplicationVersion),
            "expirationDate": .count(expirationDate),
            "preorderDate": .count(preorderDate),
            "appAppleId": .count(appAppleID), "ageRating": .string(ageRating),
            "opaqueValue": .string(Hexadecimal.text(opaqueValue)),
            "deviceHash": .string(Hexadecimal.text(deviceHash)),
            "inApp": .array(inApp.map(\.tree)),
        ])
    }
}

extension InAppReceipt {
    fileprivate var tree: JSONTree {
        .members([
            "quantity": .count(quantity), "productId": .string(productID),
            "transactionId": .string(transactionID), "originalTransactionId": .string(originalTransactionID),
            "purchaseDate": .count(purchaseDate), "originalPurchaseDate": .count(originalPurchaseDate),
            "expiresDate": .count(expirationDate),
            "webOrderLineItemId": webOrderLineItemID.map { .string(String($0)) },
            "cancellationDate": .count(cancellationDate),
            "isTrialPeriod": .bool(isTrialPeriod),
            "isInIntroOfferPeriod": isInIntroOfferPeriod.map { .bool($0) },
            "cancellationReason": .count(cancellationReason),
            "promotionalOfferId": .text(promotionalOfferID),
        ])
    }
}

extension TransactionReceipt {
    /// The content as JSON. Dates are milliseconds since 1970.
    var tree: JSONTree {
        .members([
            "environment": .string(environment.rawValue), "bundleId": .string(bundleID),
            "applicationVersion": .string(applicationVersion), "productId": .string(productID),
            "itemId": .string(itemID), "quantity": .count(quantity),
            "transactionId": .string(transactionID), "originalTransactionId": .string(originalTransactionID),
            "purchaseDate": .count(purchaseDate), "originalPurchaseDate": .count(originalPurchaseDate),
            "uniqueIdentifier": .string(uniqueIdentifier),
            "uniqueVendorIdentifier": .string(uniqueVendorIdentifier),
            "webOrderLineItemId": .text(webOrderLineItemID),
            "expiresDate": .count(expirationDate),
        ])
    }
}
