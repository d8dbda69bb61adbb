import TillSigning

extension AppReceipt {
    /// The content as JSON, with names similar to those of verifyReceipt. Dates are milliseconds since 1970.
    var tree: JSONTree {
        .object(
            members([
                ("receiptType", .string(receiptType)), ("bundleId", .string(bundleID)),
                ("applicationVersion", .string(applicationVersion)), ("receiptCreationDate", .whole(creationDate)),
                ("requestDate", issueDate.map { .whole($0) }),
                ("originalPurchaseDate", originalPurchaseDate.map { .whole($0) }),
                ("originalApplicationVersion", originalApplicationVersion.map { .string($0) }),
                ("expirationDate", expirationDate.map { .whole($0) }),
                ("preorderDate", preorderDate.map { .whole($0) }),
                ("appAppleId", .whole(appAppleID)), ("ageRating", .string(ageRating)),
                ("opaqueValue", .string(Hexadecimal.text(opaqueValue))),
                ("deviceHash", .string(Hexadecimal.text(deviceHash))),
                ("inApp", .array(inApp.map(\.tree))),
            ])
        )
    }
}

extension InAppReceipt {
    fileprivate var tree: JSONTree {
        .object(
            members([
                ("quantity", .whole(quantity)), ("productId", .string(productID)),
                ("transactionId", .string(transactionID)), ("originalTransactionId", .string(originalTransactionID)),
                ("purchaseDate", .whole(purchaseDate)), ("originalPurchaseDate", .whole(originalPurchaseDate)),
                ("expiresDate", expirationDate.map { .whole($0) }),
                ("webOrderLineItemId", webOrderLineItemID.map { .string(String($0)) }),
                ("cancellationDate", cancellationDate.map { .whole($0) }),
                ("isTrialPeriod", .bool(isTrialPeriod)),
                ("isInIntroOfferPeriod", isInIntroOfferPeriod.map { .bool($0) }),
                ("cancellationReason", cancellationReason.map { .whole($0) }),
                ("promotionalOfferId", promotionalOfferID.map { .string($0) }),
            ])
        )
    }
}

extension TransactionReceipt {
    /// The content as JSON. Dates are milliseconds since 1970.
    var tree: JSONTree {
        .object(
            members([
                ("environment", .string(environment.rawValue)), ("bundleId", .string(bundleID)),
                ("applicationVersion", .string(applicationVersion)), ("productId", .string(productID)),
                ("itemId", .string(itemID)), ("quantity", .whole(quantity)),
                ("transactionId", .string(transactionID)), ("originalTransactionId", .string(originalTransactionID)),
                ("purchaseDate", .whole(purchaseDate)), ("originalPurchaseDate", .whole(originalPurchaseDate)),
                ("uniqueIdentifier", .string(uniqueIdentifier)),
                ("uniqueVendorIdentifier", .string(uniqueVendorIdentifier)),
                ("webOrderLineItemId", webOrderLineItemID.map { .string($0) }),
                ("expiresDate", expirationDate.map { .whole($0) }),
            ])
        )
    }
}

/// The pairs that have a value.
private func members(_ pairs: [(String, JSONTree?)]) -> [JSONTree.Member] {
    pairs.compactMap { key, value in value.map { .init(key, $0) } }
}

extension JSONTree {
    fileprivate static func whole(_ number: Int64) -> JSONTree { .number(String(number)) }
}
